"""An action and a spike are checked when they are made; errors name the field."""

import math
from typing import Any

import pytest

from faults.action import OperatorAction
from faults.spike import Spike


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"action": "shed", "share": 0.9}, "90%"),
        ({"action": "block-retries"}, "attempts after the first"),
        ({"action": "reopen"}, "in steps of 20% every 5s, at most 5% errors"),
        (
            {"action": "reopen", "step": 1 / 3, "every_s": 0.5, "max_errors": 0.0},
            "in steps of 33.333333333% every 500ms, at most 0% errors",
        ),
    ],
)
def test_an_action_says_what_it_does(fields: dict[str, Any], text: str) -> None:
    """In short, as the record has it."""
    assert OperatorAction(for_s=2.0, **fields).text == text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"action": "pray"}, "action: 'pray' is not shed, block-retries or reopen"),
        ({"for_s": 3601.0}, "for: an action lasts from 1ms to 1h"),
        ({"at_s": 86_401.0}, "at: an action begins from 0s to 24h"),
        ({"lanes": ()}, "lanes: name at least one"),
        ({"action": "shed"}, "share: shed needs it"),
        ({"action": "shed", "share": 0.0}, "share: shed turns something away: above 0%"),
        ({"action": "shed", "share": -0.1}, "share: a share is from 0% to 100%"),
        ({"action": "shed", "share": 0.5, "step": 0.2}, "step: is for reopen only, not for shed"),
        ({"action": "block-retries", "every_s": 1.0}, "every: is for reopen only"),
        ({"share": 0.5}, "share: is for shed only, not for reopen"),
        ({"step": 0.0}, "step: a step is from 1% to 100%"),
        ({"step": 1.1}, "step: a step is from 1% to 100%"),
        ({"every_s": 0.0}, "every: a step lasts from 1ms to 1h"),
        ({"max_errors": math.nan}, "max_errors: a share is from 0% to 100%"),
    ],
)
def test_a_bad_action_cannot_be_made(fields: dict[str, Any], says: str) -> None:
    """Whichever field it is."""
    with pytest.raises(ValueError, match=f"^{says}"):
        OperatorAction(**{"action": "reopen", "for_s": 2.0, **fields})


@pytest.mark.parametrize(("factor", "text"), [(3.0, "× 3"), (0.0, "× 0"), (1.5, "× 1.5")])
def test_a_spike_says_what_it_does(factor: float, text: str) -> None:
    """As the record has it."""
    assert Spike(factor, 2.0).text == text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"factor": -1.0}, "factor: arrivals are multiplied by 0 to 1000"),
        ({"factor": math.inf}, "factor: "),
        ({"factor": 1.0}, "factor: 1 changes nothing: above it is a spike, below it a lull"),
        ({"factor": math.nan}, "factor: "),
        ({"for_s": 0.0}, "for: a spike lasts from 1ms to 1h"),
        ({"at_s": -1.0}, "at: a spike begins"),
        ({"lanes": ()}, "lanes: "),
    ],
)
def test_a_bad_spike_cannot_be_made(fields: dict[str, Any], says: str) -> None:
    """Whichever field it is."""
    with pytest.raises(ValueError, match=f"^{says}"):
        Spike(**{"factor": 3.0, "for_s": 2.0, **fields})
