"""A target that runs already: the scenario as it is played there, and what to know before that."""

import http.client
from collections.abc import Iterable, Mapping
from contextlib import closing
from http import HTTPStatus

from aftershock_units import format_rate
from faults.admin import AdminClient
from faults.http import KeptConnection
from faults.wire import TargetState
from loadtests.scenario import Load, Scenario, ScenarioError, parse_scenario
from loadtests.target_found import Told, as_scenarios, difference, told_by, wanted_by
from target_service.marks import LANE_HEADER


def look_at(admin_url: str, token: str) -> TargetState:
    """The target as it stands.

    Raises `ValueError` for a URL that is none, `AdminError` when no target answers there, and its
    `GatewayError` for a gateway.
    """
    with closing(AdminClient(admin_url, token or None)) as admin:
        state = admin.state()
        admin.dips()  # a gateway tells its state too, and has none
        return state


def scenario_at(state: TargetState, values: Mapping[str, object]) -> tuple[Scenario, Iterable[str]]:
    """The scenario of these values as it is played at this target, and remarks.

    Its `[target]` is what is there, and a utilisation is a part of that. Raises `ScenarioError`.
    """
    told, asked, load = told_by(state), values.get("target"), values.get("load", {})
    notes = _left_as_it_is(told, parse_scenario({"target": asked})) if asked else []
    utilisation = _load_of(load).utilisation
    played = dict(values)
    if told is not None:
        if str(told.get("service_time")).startswith("file "):
            told = {**told, "service_time": None}  # the samples are on the target's machine
        played["target"] = as_scenarios(told)
    if utilisation is not None and isinstance(load, Mapping):
        played["load"] = {key: value for key, value in load.items() if key != "utilisation"}
    scenario = parse_scenario(played)
    if utilisation is not None:
        of_it = scenario.load.model_copy(update={"utilisation": utilisation})
        load = of_it.resolved(_capacity_per_s(state, scenario))
        scenario = scenario.model_copy(update={"load": load})
    return scenario, [*notes, *_more_than_one_lane_is_given(state, scenario)]


def _load_of(load: object) -> Load:
    """Raises `ScenarioError` for what is none."""
    parse_scenario({"load": load})
    return Load.model_validate(load)


def _left_as_it_is(told: Told | None, asked: Scenario) -> list[str]:
    if told is None:
        return ["the target stays as it is, which may not be as was asked for: it does not tell"]
    found = difference(told, wanted_by(asked))
    return [f"the target stays as it is, and another was asked for: {found}"] if found else []


def _capacity_per_s(state: TargetState, scenario: Scenario) -> float:
    """That of each lane of the scenario. Raises `ScenarioError` where they have none in common."""
    if not _capacity_is_known(state):
        raise ScenarioError(
            "load.utilisation: the target's workers take as long as the app behind them, so its "
            "capacity is not known: give the load a rate (--rate)"
        )
    lanes = [state.lanes.get(choice.lane_name) for choice in scenario.policies]
    found = {lane.capacity_per_s if lane else state.capacity_per_s for lane in lanes}
    if len(found) > 1:
        raise ScenarioError(
            "load.utilisation: the target's lanes have capacities of "
            f"{', '.join(map(format_rate, sorted(found)))}: give the load a rate (--rate)"
        )
    return found.pop()


def _capacity_is_known(state: TargetState) -> bool:
    return state.service is None or state.service.service_time is not None


def _more_than_one_lane_is_given(state: TargetState, scenario: Scenario) -> Iterable[str]:
    """Each lane has the capacity, and all of them may lead to one app."""
    lanes = len(scenario.policies)
    sum_per_s = lanes * scenario.load.rate_per_s
    known = state.shared_app and _capacity_is_known(state)
    if known and lanes > 1 and sum_per_s > state.capacity_per_s:
        yield (
            f"the {lanes} lanes come to {format_rate(sum_per_s)} and lead to one app, while each "
            f"alone is given {format_rate(state.capacity_per_s)}: if the app can do no more, they "
            f"will disturb each other; run one --policy at a time, or give the gate 1/{lanes} of "
            "its capacity"
        )


def try_path(url: str, scenario: Scenario) -> Iterable[str]:
    """Ask once for what the load will ask for; what there is to be said of the answer.

    Raises `ScenarioError` where nothing is there: every request of the run would fail.
    """
    path, lane = scenario.load.path, scenario.policies[0].lane_name
    asked = f"{url.rstrip('/')}{path}"
    with closing(KeptConnection(url, scenario.load.timeout_s)) as connection:
        try:
            status, _ = connection.call("GET", path, None, {LANE_HEADER.decode(): lane}, again=True)
        except (OSError, http.client.HTTPException) as error:
            yield f"before any load {asked} does not answer: {error or type(error).__name__}"
            return
    if status == HTTPStatus.NOT_FOUND:
        raise ScenarioError(
            f"load.path: {asked} answers 404: say with --path what is to be asked for"
        )
    if status >= HTTPStatus.BAD_REQUEST:
        yield f"before any load {asked} answers {status}"
