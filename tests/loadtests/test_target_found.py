"""A target that runs already is told apart from the one that a scenario wants."""

from dataclasses import replace

import pytest

from faults.wire import RefusalState, ServiceState, TargetState, read_state
from loadtests.scenario import parse_scenario
from loadtests.target_found import difference, told_by, wanted_by
from target_service.app import create_app
from target_service.settings import read_settings
from tests.target_service.asgi import call

OLD = TargetState(1.0, 2.0, 0.1, 10, 50.0, {}, (), "0")
REFUSAL = RefusalState(503, None, "seconds", None, do_not_retry=False, owns_errors=True)
BARE = replace(OLD, refusal=REFUSAL)
SERVICE = ServiceState(5, "100ms", 300, "fifo", "finish", None, "arriving", heed_deadlines=False)
QUEUED = replace(BARE, service=SERVICE)
WANTED = {"workers": 5, "service_time": "100ms", "queue": 300}


def told(found: TargetState, **target: object) -> str:
    """What differs."""
    said = told_by(found)
    assert said is not None
    return difference(said, wanted_by(parse_scenario({"target": target})))


def test_of_a_target_as_it_is_wanted_nothing_is_told() -> None:
    """With workers and without; to the rounding of a rate."""
    assert told(BARE, capacity="50.01/s") == ""
    assert told(QUEUED, **WANTED) == ""


@pytest.mark.parametrize(
    "target",
    [
        {"capacity": "33.333/s", "turn_away_cost": 0.1, "status": 429, "retry_after": "1s..5s"},
        {
            "retry_after": "2s",
            "retry_after_as": "date",
            "pushback": "1ms..2s",
            "owns_errors": False,
        },
        {**WANTED, "service_time": "lognormal 30ms 0.5", "discipline": "codel 20ms 150ms"},
        {**WANTED, "max_wait": "1.5s", "shed_first": "attempt", "pushback": "never"},
    ],
)
def test_a_target_that_was_started_as_a_scenario_says_tells_just_that(
    target: dict[str, object],
) -> None:
    """Otherwise each run of one's own would be noted as one of another service."""
    scenario = parse_scenario({"target": target})
    settings = {name: text for name, text in scenario.target.settings().items() if text}
    gate = create_app(read_settings(**settings))
    found = told_by(read_state(call(gate, "GET", "/admin/state").body))
    assert found is not None
    assert found.keys() == wanted_by(scenario).keys()
    assert difference(found, wanted_by(scenario)) == ""


def test_a_target_that_does_not_tell_all_tells_nothing() -> None:
    """What it leaves out may be what matters."""
    assert told_by(OLD) is None


@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("status", 429, "status 503 and not 429"),
        ("retry_after", "2s", "retry_after none and not 2s"),
        ("retry_after", "1s..5s", "retry_after none and not 1s..5s"),
        ("pushback", "never", "pushback none and not never"),
        ("pushback", "100ms", "pushback none and not 100ms"),
        ("do_not_retry", True, "do_not_retry false and not true"),
        ("owns_errors", False, "owns_errors true and not false"),
    ],
)
def test_so_does_all_that_it_says_with_a_refusal(setting: str, value: object, says: str) -> None:
    """Clients wait by it."""
    assert told(BARE, **{"capacity": "50/s", setting: value}) == says


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
