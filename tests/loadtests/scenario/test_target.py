"""The target's settings in a scenario are right, or refused in the words of a scenario."""

import pytest

from loadtests.scenario import Scenario, ScenarioError, parse_scenario
from target_service.service import Abandoned, ShedFirst
from target_service.settings import Settings, read_settings


def of(**target: object) -> Scenario:
    return parse_scenario({"target": target})


def test_without_workers_a_target_has_a_capacity() -> None:
    """100/s, which the record shows; what is not said is left to the target."""
    scenario = of()
    assert scenario.target.capacity_per_s == 100.0
    assert scenario.target.service() is None
    assert scenario.model_dump(mode="json", by_alias=True)["target"] == {"capacity": "100/s"}
    assert {name for name, text in scenario.target.settings().items() if text} == {"capacity"}


def test_with_workers_the_capacity_follows_from_the_service_time() -> None:
    """10 workers, 50 ms each: 200/s."""
    target = of(workers=10, service_time="exponential 50ms").target
    assert target.capacity_per_s == pytest.approx(200.0)
    assert target.settings()["capacity"] == ""


def test_without_a_service_time_nobody_knows_the_capacity() -> None:
    """The app behind the gate takes as long as it takes."""
    assert of(workers=10).target.capacity_per_s is None


def test_every_setting_reaches_the_target_as_it_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variables that a run gives it, whatever the environment had before."""
    monkeypatch.setenv("AFTERSHOCK_CAPACITY", "7/s")
    monkeypatch.setenv("AFTERSHOCK_STATUS", "503")
    given = {
        "workers": 3,
        "service_time": "lognormal 100ms 0.5",
        "queue": 7,
        "discipline": "codel 5ms 100ms",
        "abandoned": "drop",
        "turn_away_cost": 0.25,
        "max_wait": "500ms",
        "shed_first": "priority",
        "heed_deadlines": True,
        "status": 429,
        "retry_after": "1s..5s",
        "retry_after_as": "date",
        "pushback": "100ms..1s",
        "do_not_retry": True,
        "owns_errors": False,
    }
    scenario = of(**given)
    for name, text in scenario.target.settings().items():
        monkeypatch.setenv(f"AFTERSHOCK_{name.upper()}", text)
    there = read_settings()
    service = there.service()
    assert service == scenario.target.service()
    assert service is not None
    assert (service.workers, service.queue, service.turn_away_cost) == (3, 7, 0.25)
    assert (service.abandoned, service.shed_first) == (Abandoned.DROP, ShedFirst.PRIORITY)
    assert (service.max_wait_s, service.heed_deadlines) == (0.5, True)
    assert service.time is not None
    assert service.time.text == "lognormal 100ms 0.5"
    word = there.word()
    assert (word.status, word.do_not_retry, word.owns_errors) == (429, True, False)
    assert parse_scenario(scenario.model_dump(mode="json", by_alias=True)) == scenario


def test_a_scenario_has_every_setting_of_the_service() -> None:
    """A setting that is added to the target must not be missing here: these are no part of it."""
    not_the_services = {"host", "port", "tick", "seed", "upstream", "admin_token", "parent_pid"}
    assert set(of().target.settings()) == set(Settings.model_fields) - not_the_services


def test_what_the_environment_has_is_no_part_of_a_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario means the same everywhere."""
    monkeypatch.setenv("AFTERSHOCK_WORKERS", "5")
    assert of().target.service() is None


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"capacity": "many"}, "target.capacity: 'many' is not a rate per second"),
        (
            {"capacity": "200000/s"},
            "target.capacity: 200000/s is out of bounds: expected more than 0/s",
        ),
        (
            {"wrkers": 1},
            "target.wrkers: there is no such setting (did you mean workers?): expected ca",
        ),
        ({"heed_deadlines": "yes"}, "target.heed_deadlines: expected true or false"),
        ({"workers": 0}, "target: workers: expected a whole number from 1 to 10000"),
        ({"workers": 1, "service_time": "soon"}, "target: service_time: 'soon' is not a duration"),
        ({"service_time": "1s"}, "target: service_time needs workers"),
        ({"max_wait": "1s"}, "target: max_wait needs workers"),
        (
            {"workers": 2, "service_time": "100ms", "capacity": "50/s"},
            "target: capacity: workers and service time come to 20/s: leave the capacity out",
        ),
        (
            {"workers": 2, "abandoned": "forget", "queue": -1},
            "queue: expected a whole number from 0 to 100000; abandoned: expected finish",
        ),
        ({"workers": 2, "discipline": "random"}, "target: discipline: expected fifo, lifo, codel"),
        ({"workers": 2, "shed_first": "me"}, "shed_first: expected arriving, priority, attempt"),
        ({"turn_away_cost": 2}, "turn_away_cost: expected a share of the service time"),
        ({"status": 500}, "target: status: an attempt is turned away with 503 or 429"),
        ({"retry_after": "1.5s"}, "target: retry_after: Retry-After is whole seconds"),
        ({"pushback": "soon"}, "target: pushback:"),
        ({"workers": 1, "service_time": "file /none"}, "service_time: /none: "),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(
    target: dict[str, object], says: str
) -> None:
    """Before anything is started."""
    with pytest.raises(ScenarioError) as caught:
        of(**target)
    assert says in str(caught.value)
