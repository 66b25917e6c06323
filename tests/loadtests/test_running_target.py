"""A scenario at a target that runs already: what it has is what is loaded, and told."""

from dataclasses import replace

import pytest

from faults.admin import GatewayError
from faults.wire import LaneState, TargetState, read_state
from loadtests.running_target import look_at, scenario_at, try_path
from loadtests.scenario import Scenario, ScenarioError, parse_scenario
from loadtests.target_found import as_scenarios, told_by
from target_service.app import create_app
from target_service.capacity_gate import CapacityGate
from target_service.settings import read_settings
from tests.faults.stub import Stub, http_answer
from tests.faults.test_admin import NOTHING, STATE_ANSWER
from tests.loadtests.test_target_found import BARE, OLD, QUEUED, SERVICE
from tests.target_service.asgi import call

OF_AN_APP = replace(QUEUED, service=replace(SERVICE, service_time=None))
SHARED = replace(BARE, shared_app=True)
TWO = [{"name": "no-retry"}, {"name": "immediate"}]


def played(state: TargetState, **values: object) -> Scenario:
    return scenario_at(state, values)[0]


def remarks(state: TargetState, **values: object) -> list[str]:
    return list(scenario_at(state, values)[1])


@pytest.mark.parametrize("state", [BARE, replace(OLD, capacity_per_s=50.0)])
def test_a_utilisation_is_a_part_of_what_the_target_has(state: TargetState) -> None:
    """And not of what the scenario's own would have, whether the target tells all or not."""
    for target in ({}, {"target": {"capacity": "1000/s"}}):
        scenario = played(state, load={"utilisation": "90%", "timeout": "1s"}, **target)
        assert (scenario.load.rate_per_s, scenario.load.utilisation) == (45.0, None)
        assert scenario.load.timeout_s == 1.0


def test_lanes_that_were_given_another_capacity_count() -> None:
    """By somebody, for them alone; where they differ there is no one rate."""
    other = {"immediate": LaneState(80.0, 80.0)}
    state = replace(BARE, lanes=other)
    load = {"utilisation": 0.5}
    assert played(state, load=load, policies=TWO[1:]).load.rate_per_s == 40.0
    with pytest.raises(ScenarioError, match=r"capacities of 50/s, 80/s: give the load a rate"):
        played(state, load=load, policies=TWO)


def test_of_workers_that_take_as_long_as_an_app_there_is_no_part() -> None:
    """What such a target calls its capacity says nothing."""
    with pytest.raises(ScenarioError, match="its capacity is not known: give the load a rate"):
        played(OF_AN_APP, load={"utilisation": "95%"})
    assert played(OF_AN_APP, load={"rate": "10/s"}).target.workers == 5


def test_the_scenario_that_is_kept_has_the_target_that_was_there() -> None:
    """In few words: what a target has by itself is left out, as where one is started."""
    assert played(BARE, target={"workers": 1, "service_time": "1s"}).target == (
        parse_scenario({"target": {"capacity": "50/s"}}).target
    )
    lossy = replace(BARE, turn_away_cost=0.1)
    assert as_scenarios(told_by(lossy) or {}) == {"capacity": "50/s", "turn_away_cost": "10%"}
    assert as_scenarios(told_by(QUEUED) or {}) == {
        "workers": 5, "service_time": "100ms", "queue": 300
    }  # fmt: skip


def test_a_dip_of_workers_is_held_against_those_that_are_there() -> None:
    """And not against a target that is not used."""
    dips = [{"workers": 1}]
    assert played(QUEUED, dips=dips).dips[0].workers == 1
    with pytest.raises(ScenarioError, match=r"workers: .target. has none"):
        played(BARE, dips=dips, target={"workers": 5, "service_time": "100ms"})


def test_samples_of_service_times_stay_where_they_are() -> None:
    """The file is on the target's machine."""
    state = replace(QUEUED, service=replace(SERVICE, service_time="file /no/such.txt"))
    scenario = played(state, load={"utilisation": "50%"})
    assert (scenario.target.service_time, scenario.load.rate_per_s) == (None, 25.0)


@pytest.mark.parametrize("load", [{"utilisation": "much"}, {"utilisation": 1, "rate": "1/s"}, 3])
def test_a_wrong_load_is_said_as_everywhere(load: object) -> None:
    """As where a target is started."""
    with pytest.raises(ScenarioError, match=r"^load"):
        played(BARE, load=load)


def test_what_was_asked_for_and_is_not_there_is_told() -> None:
    """What nobody asked for is not."""
    assert remarks(BARE) == remarks(BARE, target={}) == remarks(OLD) == []
    assert remarks(BARE, target={"capacity": "60/s"}) == [
        "the target stays as it is, and another was asked for: capacity 50/s and not 60/s"
    ]
    assert "it does not tell" in remarks(OLD, target={"capacity": "50/s"})[0]


def test_lanes_that_lead_to_one_app_are_told_when_they_are_too_much_for_it() -> None:
    """Each has the whole capacity at the gate."""
    load = {"rate": "30/s"}
    [said] = remarks(SHARED, load=load, policies=TWO)
    assert said.startswith(
        "the 2 lanes come to 60/s and lead to one app, while each alone is given"
    )
    assert "one --policy at a time, or give the gate 1/2 of its capacity" in said
    for state, policies in (
        (BARE, TWO),
        (SHARED, TWO[:1]),
        (replace(OF_AN_APP, shared_app=True), TWO),
    ):
        assert remarks(state, load=load, policies=policies) == []
    assert remarks(SHARED, load={"rate": "25/s"}, policies=TWO) == []


def test_a_gate_says_that_its_lanes_lead_to_one_app() -> None:
    """A target by itself has nothing that they share."""
    alone = create_app(read_settings())
    gate = CapacityGate(alone, enabled=True)
    for app, path, shared in ((alone, "", False), (gate, "/aftershock", True)):
        assert read_state(call(app, "GET", f"{path}/admin/state").body).shared_app is shared


def test_a_gateway_is_not_taken_for_a_target() -> None:
    """It tells its state as one does."""
    with Stub([[STATE_ANSWER, http_answer(404, NOTHING), STATE_ANSWER]]).running() as stub:
        with pytest.raises(GatewayError, match=r"name the target behind it$"):
            look_at(stub.url, "")


PLANNED = parse_scenario({"load": {"path": "/orders"}, "policies": TWO})


def test_a_path_where_nothing_is_is_refused_before_the_load() -> None:
    """Each request would fail, for as long as the run takes."""
    with Stub([[http_answer(404, b"")]]).running() as stub:
        with pytest.raises(
            ScenarioError, match=f"^load.path: {stub.url}/orders answers 404: .*--path"
        ):
            list(try_path(f"{stub.url}/", PLANNED))
    assert b"GET /orders HTTP/1.1" in stub.requests[0]
    assert b"X-Aftershock-Lane: no-retry".lower() in stub.requests[0].lower()


@pytest.mark.parametrize(("status", "told"), [(200, []), (307, []), (502, ["answers 502"])])
def test_another_error_may_pass_and_is_told(status: int, told: list[str]) -> None:
    """A service may fail once."""
    with Stub([[http_answer(status, b"")]]).running() as stub:
        assert list(try_path(stub.url, PLANNED)) == [
            f"before any load {stub.url}/orders {what}" for what in told
        ]


def test_no_answer_is_told_too() -> None:
    """The run will tell what becomes of it."""
    with Stub([]).running() as stub:
        url = stub.url
    [said] = try_path(url, PLANNED)
    assert said.startswith(f"before any load {url}/orders does not answer: ")
