"""Plays one lane of a scenario in whole ticks."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from loadtests.arrivals import Arrivals
from loadtests.policies.budgets import BulkBudget
from loadtests.policies.retry import Retry
from loadtests.policy_names import PolicySource
from loadtests.scenario import Admits, PolicyChoice, Scenario, ScenarioError
from loadtests.simulation import whole_ticks
from loadtests.simulation.fleet import lane_line, source_of
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import (
    Stage,
    Told,
    each_tick,
    set_stage,
    ticks_until,
    told_nobody,
)
from loadtests.simulation.ticks.course import NotInTicksError, bulk_of
from loadtests.simulation.ticks.each import EachClient
from loadtests.simulation.ticks.lane import LaneInTicks
from loadtests.simulation.ticks.plan import Plan, plan_of
from loadtests.simulation.ticks.purses import purses_of
from loadtests.simulation.ticks.shared import SharedStates


class Requests(Protocol):
    """The requests of a lane, whoever keeps those that wait."""

    def play(self, tick: int, new: int, fits: int) -> None:
        """One tick with so many new requests, and room for so many attempts."""
        ...


def play_lane(
    scenario: Scenario,
    choice: PolicyChoice,
    until_s: float = math.inf,
    on_second: Told = told_nobody,
) -> PlayedLane:
    """Play one lane of the scenario from beginning to end. Raises `ScenarioError`.

    What ends sooner, at `until_s`, is planned whole all the same: how the groups of requests stand,
    and with them what is drawn for each, depends on the length of the plan.
    """
    try:
        plan = plan_of(scenario, choice)
    except NotInTicksError as error:
        raise ScenarioError(str(error)) from None
    stage = set_stage(scenario, choice.lane_name)
    ended = replace(stage, ticks=min(stage.ticks, ticks_until(min(stage.end_s, until_s))))
    capacities_per_s = whole_ticks.capacities(stage)
    issued = _arrivals(scenario, stage)
    lane = LaneInTicks(
        plan,
        issued,
        _stream(f"{scenario.seed}/ticks/{choice.lane_name}"),
        by_chance=scenario.simulation.admits is Admits.BY_CHANCE,
    )
    requests = _requests(lane, plan, source_of(choice))
    fitting = whole_ticks.admissions(capacities_per_s)
    for tick in each_tick(ended.ticks, on_second):
        requests.play(tick, issued[tick], fitting[tick])
    return PlayedLane(
        lane_line(scenario, choice),
        lane.tally.metered(capacities_per_s),
        lane.tally.clients(),
        faults=ended.recorded_faults(),
        actions=ended.recorded_actions(),
    )


def _requests(lane: LaneInTicks, plan: Plan, source: PolicySource) -> Requests:
    if plan.budget is None:
        return SharedStates(lane, [], plan.states)
    if plan.is_each_by_itself:
        return EachClient(lane, purses_of(bulk_of(plan.budget), plan.states), plan.states)
    return SharedStates(lane, [_budget(source) for _ in range(plan.states)], plan.states)


def _budget(source: PolicySource) -> BulkBudget:
    """That of a new policy."""
    policy = source.build()
    assert isinstance(policy, Retry)  # noqa: S101 - as the planned one is
    assert policy.budget is not None  # noqa: S101 - as there
    found = bulk_of(policy.budget)
    assert found is not None  # noqa: S101 - as there
    return found


def _arrivals(scenario: Scenario, stage: Stage) -> Sequence[int]:
    """How many new requests each tick has: the same ones for every lane."""
    if scenario.load.arrivals is Arrivals.CONSTANT:
        return whole_ticks.arrivals(scenario, stage)
    expected = np.diff(whole_ticks.expected_arrivals(stage), prepend=0.0)
    drawn: list[int] = _stream(f"{scenario.seed}/ticks/arrivals").poisson(expected).tolist()
    return drawn


def _stream(name: str) -> np.random.Generator:
    """Randomness of this name, the same on every machine."""
    digest = hashlib.sha256(name.encode()).digest()
    words = [int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))
