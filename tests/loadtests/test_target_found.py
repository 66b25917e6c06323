"""A target that runs already is told apart from the one that a scenario wants."""

from dataclasses import replace

import pytest

from faults.wire import ServiceState, TargetState
from loadtests.scenario import parse_scenario
from loadtests.target_found import difference

BARE = TargetState(1.0, 2.0, 0.1, 10, 50.0, {}, (), "0")
SERVICE = ServiceState(5, "100ms", 300, "fifo", "finish", None, "arriving", heed_deadlines=False)
QUEUED = replace(BARE, service=SERVICE)
WANTED = {"workers": 5, "service_time": "100ms", "queue": 300}


def told(found: TargetState, **target: object) -> str:
    """What differs, without what goes before it."""
    return difference(found, parse_scenario({"target": target})).partition("another: ")[2]


def test_of_a_target_as_it_is_wanted_nothing_is_told() -> None:
    """With workers and without; to the rounding of a rate."""
    assert difference(BARE, parse_scenario({"target": {"capacity": "50.01/s"}})) == ""
    assert difference(QUEUED, parse_scenario({"target": WANTED})) == ""


def test_capacity_and_workers_are_told_apart_though_they_come_to_the_same() -> None:
    """50/s turned away at once and 50/s with a queue are two services."""
    assert told(BARE, capacity="80/s") == "capacity 50/s and not 80/s"
    assert told(BARE, **WANTED) == "workers none and not 5"
    assert told(QUEUED, capacity="50/s") == "workers 5 and not none"


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("queue", 1000, "queue 300 and not 1000"),
        ("service_time", "exponential 100ms", "service_time 100ms and not exponential 100ms"),
        ("discipline", "codel", "discipline fifo and not codel 5ms 100ms"),
        ("abandoned", "drop", "abandoned finish and not drop"),
        ("max_wait", "500ms", "max_wait none and not 500ms"),
        ("shed_first", "attempt", "shed_first arriving and not attempt"),
        ("heed_deadlines", True, "heed_deadlines false and not true"),
        ("turn_away_cost", "10%", "turn_away_cost 0% and not 10%"),
    ],
)
def test_every_setting_of_a_queue_counts(setting: str, value: object, says: str) -> None:
    """A storm ends or not by each of them."""
    assert told(QUEUED, **{**WANTED, setting: value}) == says
