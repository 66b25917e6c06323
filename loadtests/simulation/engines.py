"""Who plays a scenario: the events engine can do all of it, the ticks engine less and faster."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from typing import TypeVar

from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies.scope import MAX_OBJECTS
from loadtests.policy_states import too_many
from loadtests.scenario import PolicyChoice, Scenario, ScenarioError
from loadtests.simulation import events, ticks
from loadtests.simulation.fleet import states_of
from loadtests.simulation.metered import PlayedLane, Simulated
from loadtests.simulation.stage import TICK_S, Told, told_nobody
from reports.record import SIMULATED, Action, End, Fault, Header

MANY_A_TICK = 8.0
"""New requests in a tick of a lane, from which on counts are faster than single requests."""
LONG_REQUESTS = 10_000_000
"""Played one by one."""
MANY_STATES = 1000
"""Of a policy, of which each is an object to the events engine."""
Span = TypeVar("Span", Fault, Action)


class Engine(StrEnum):
    """The engines, and `auto`, which leaves the choice to us."""

    AUTO = "auto"
    EVENTS = "events"
    TICKS = "ticks"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The engine that plays a scenario, and why it was chosen, as a clause.

    `asked`: somebody asked for this one, by its name.
    """

    engine: Engine
    why: str
    asked: bool = False


def choose(scenario: Scenario, asked: Engine = Engine.AUTO) -> Chosen:
    """The engine asked for, or the faster one that can do the scenario.

    Raises `ScenarioError` where the engine asked for, or any, cannot do it, saying why.
    """
    if scenario.target.capacity_per_s is None:
        raise ScenarioError(
            'target: workers need a service_time, as in "100ms": in a simulation nothing else '
            "takes time"
        )
    for choice in scenario.policies:
        if choice.name in OPAQUE:
            raise ScenarioError(
                f"policies: {choice.name} is a real library, which cannot run in virtual time: "
                f"simulate the preset that describes it (`aftershock policies` lists them)"
            )
    if asked is Engine.EVENTS:
        return Chosen(Engine.EVENTS, "as asked", asked=True)
    obstacle = _obstacle(scenario)
    if obstacle is None and asked is Engine.TICKS:
        return Chosen(Engine.TICKS, "as asked", asked=True)
    if obstacle is None:
        return _faster(scenario)
    if asked is Engine.TICKS:
        raise ScenarioError(f"--engine ticks cannot do this scenario: {obstacle}")
    _check_clients(scenario, obstacle)
    return Chosen(Engine.EVENTS, f"the ticks engine cannot: {obstacle}")


def _obstacle(scenario: Scenario) -> str | None:
    """What ticks cannot do, in any lane: the order of requests only where that is all of it."""
    found = [why for choice in scenario.policies if (why := ticks.why_not(scenario, choice))]
    return next((why for why in found if why != ticks.IN_ORDER), found[0] if found else None)


def _check_clients(scenario: Scenario, obstacle: str) -> None:
    """Whether there are few enough for events, where ticks cannot do it."""
    for choice in scenario.policies:
        states = states_of(scenario, choice)
        if states > MAX_OBJECTS:
            raise ScenarioError(f"{too_many(choice.name, states)}, and ticks cannot: {obstacle}")


def _faster(scenario: Scenario) -> Chosen:
    """Of both: what events costs grows with load and states, what ticks costs hardly does."""
    a_tick = scenario.load.rate_per_s * scenario.simulation.scale * TICK_S
    states = max(states_of(scenario, choice) for choice in scenario.policies)
    if a_tick < MANY_A_TICK and states < MANY_STATES:
        return Chosen(Engine.EVENTS, f"with {a_tick:.3g} requests a tick it is the faster one")
    return Chosen(Engine.TICKS, "it can do all of this scenario, and faster")


def takes_long(scenario: Scenario, chosen: Chosen) -> str | None:
    """What to say beforehand of one run that would take minutes; None: it does not."""
    load = scenario.load.rate_per_s * scenario.simulation.scale * scenario.planned_end_s
    requests = load * len(scenario.policies)
    if chosen.engine is Engine.TICKS or requests < LONG_REQUESTS:
        return None
    return (
        f"{requests / 1e6:,.0f} million requests, played one by one, take minutes: where the "
        "target has no queue, --admits shuffled or by-chance lets the ticks engine count them"
    )


def simulate(
    scenario: Scenario,
    asked: Engine = Engine.AUTO,
    *,
    until_s: float = math.inf,
    on_second: Told = told_nobody,
) -> Simulated:
    """Play the scenario with its seed, up to `until_s` if that is before its planned end.

    `on_second` is called for each second of it in each lane.

    The same scenario gives the same run, everywhere. Raises `ScenarioError`, and `PolicyError`
    where a policy of one's own fails.
    """
    engine = choose(scenario, asked).engine
    play: Callable[[Scenario, PolicyChoice, float, Told], PlayedLane] = (
        ticks.play_lane if engine is Engine.TICKS else events.play_lane
    )
    lanes = [play(scenario, choice, until_s, on_second) for choice in scenario.policies]
    end_s = scenario.planned_end_s
    return Simulated(
        header=Header(
            id=f"{scenario.name}-seed-{scenario.seed}",
            name=scenario.name,
            source=SIMULATED,
            anchor_epoch_s=0.0,
            tick_s=TICK_S,
            seed=scenario.seed,
            lanes=tuple(lane.lane for lane in lanes),
            scenario=scenario.model_dump(mode="json", by_alias=True),
            versions={"aftershock": version("aftershock"), "engine": engine.value},
            planned_end_s=end_s,
        ),
        lanes=tuple(lanes),
        faults=_together(fault for lane in lanes for fault in lane.faults),
        actions=_together(action for lane in lanes for action in lane.actions),
        end=End(min(end_s, until_s)),
    )


def _together(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Each once: what ends at different times in different lanes ends with the last."""
    found: dict[str, Span] = {}
    for span in spans:
        known = found.get(span.id)
        found[span.id] = replace(span, end_s=max(span.end_s, known.end_s)) if known else span
    return tuple(found.values())
