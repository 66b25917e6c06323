"""What is told of an operator's action that lets lanes in at different times."""

from dataclasses import replace

import pytest

from faults.admin import ActionStatus
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.live.events import listed
from tests.loadtests.control_room.obedient import ACTION, STATE


def open_share(action: ActionStatus) -> object:
    """What the page shows as let through."""
    [event] = listed(replace(STATE, actions=(action,)), ClientTally(lambda: 0.0), 0.0, 0.0)
    return event["open_share"]


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"a": 0.8}, "20%"),
        ({"a": 0.8, "b": 0.8}, "20%"),
        ({"a": 0.5, "b": 0.0, "c": 0.25}, "50–100%"),
        ({}, "50%"),
        (None, "50%"),
    ],
)
def test_a_reopening_tells_from_where_to_where_its_lanes_are_open(
    shares: dict[str, float] | None, said: str
) -> None:
    """Before any lane is there, how it will begin."""
    assert open_share(replace(ACTION, share=0.5, shares=shares)) == said


def test_of_another_action_nothing_is_told() -> None:
    """Its text says what it turns away."""
    assert open_share(replace(ACTION, action="shed", share=0.9)) is None
    assert open_share(ACTION) is None
