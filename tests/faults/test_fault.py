"""A fault is checked when it is made, and the error names the field and what is allowed."""

import math
from typing import Any

import pytest

from faults.fault import ServiceFault


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"type": "latency", "add_s": 0.2, "spread_s": 0.05, "share": 0.5},
            "200ms ± 50ms, 50%",
        ),
        ({"type": "latency", "add_s": 1.5}, "1.5s, 100%"),
        ({"type": "latency", "add_s": 0.0, "spread_s": 0.1}, "0s ± 100ms, 100%"),
        ({"type": "error", "share": 0.125}, "500, 12.5%"),
        ({"type": "error", "status": 429, "retry_after_s": 2.0}, "429 with Retry-After 2s, 100%"),
        ({"type": "hang", "share": 0.001}, "0.1%"),
        ({"type": "reset"}, "100%"),
        ({"type": "cut", "lanes": ("a",), "at_s": 86_400.0}, "100%"),
    ],
)
def test_a_fault_says_what_it_does(fields: dict[str, Any], text: str) -> None:
    """In short, as the record has it."""
    assert ServiceFault(for_s=2.0, **fields).text == text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"type": "smoke"}, "type: 'smoke' is not latency, error, hang, reset or cut"),
        ({"for_s": 0.0}, "for: a fault lasts from 1ms to 1h"),
        ({"for_s": math.nan}, "for: "),
        ({"at_s": -1.0}, "at: a fault begins from 0s to 24h"),
        ({"lanes": ()}, "lanes: name at least one"),
        ({"share": 1.01}, "share: a share is from 0% to 100%"),
        ({"share": math.nan}, "share: "),
        ({"share": 0.0}, "share: a fault strikes some attempts: above 0%"),
        ({"type": "latency", "add_s": 0.0}, "add: latency adds some time: above 0s, unless"),
        ({"type": "latency", "add_s": 0.0, "spread_s": 0.0}, "add: latency adds some time"),
        ({"type": "latency"}, "add: latency needs it"),
        ({"type": "latency", "add_s": 301.0}, "add: latency is from 0s to 300s"),
        ({"type": "latency", "add_s": -0.1}, "add: "),
        ({"type": "latency", "add_s": 1.0, "spread_s": math.inf}, "spread: latency is from"),
        ({"type": "latency", "add_s": 1.0, "status": 500}, "status: is for error only, not for l"),
        ({"add_s": 1.0}, "add: is for latency only, not for error"),
        ({"type": "hang", "retry_after_s": 1.0}, "retry_after: is for error only, not for hang"),
        ({"status": 399}, "status: an error is from 400 to 599, not 399"),
        ({"retry_after_s": 1.5}, "retry_after: whole seconds"),
        ({"retry_after_s": 3601.0}, "retry_after: whole seconds"),
        ({"retry_after_s": -1.0}, "retry_after: whole seconds"),
    ],
)
def test_a_bad_fault_cannot_be_made(fields: dict[str, Any], says: str) -> None:
    """Whichever field it is."""
    with pytest.raises(ValueError, match=f"^{says}"):
        ServiceFault(**{"type": "error", "for_s": 2.0, **fields})
