"""Plays one lane of a scenario in whole ticks, or says why it cannot."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np

from loadtests.arrivals import Arrivals
from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies import Outcome, RetryPolicy
from loadtests.policies.retry import Retry
from loadtests.scenario import Admits, PolicyChoice, Scenario, ScenarioError
from loadtests.simulation import whole_ticks
from loadtests.simulation.fleet import lane_line, source_of, states_of
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import Stage, set_stage
from loadtests.simulation.ticks.course import Course, NotInTicksError, bulk_of, course_of
from loadtests.simulation.ticks.each import EachClient
from loadtests.simulation.ticks.lane import LaneInTicks
from loadtests.simulation.ticks.purses import purses_of
from loadtests.simulation.ticks.shared import MOST_STATES, SharedStates


class Players(Protocol):
    """Who keeps the requests of a lane that wait."""

    def play(self, tick: int, new: int, fits: int) -> None:
        """One tick with so many new requests, and room for so many attempts."""
        ...


def why_not(scenario: Scenario, choice: PolicyChoice) -> str | None:
    """What of this lane the engine cannot do, as a clause; None: it can."""
    try:
        _plan(scenario, choice)
    except NotInTicksError as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class _Plan:
    policy: RetryPolicy
    course: Course
    refusal: Outcome
    states: int


def _plan(scenario: Scenario, choice: PolicyChoice) -> _Plan:
    """Raises `NotInTicksError`."""
    if scenario.simulation.admits is Admits.IN_ORDER:
        raise NotInTicksError(
            "simulation.admits is in-order: who comes first within a tick is not known there"
        )
    if obstacle := whole_ticks.obstacle(scenario, choice):
        raise NotInTicksError(obstacle)
    if choice.name in OPAQUE:
        raise NotInTicksError(f"{choice.name} is a real library")
    word = scenario.target.word()
    if word.draws:
        raise NotInTicksError("what the server says differs from answer to answer")
    policy = source_of(choice).build()
    refusal = whole_ticks.refusal(word, 0.0, Random(0))
    try:
        course = course_of(policy, refusal, scenario.load.path)
        states = states_of(scenario, choice)
        if states > MOST_STATES and isinstance(policy, Retry) and policy.budget is not None:
            purses_of(bulk_of(policy.budget), 1)
    except NotInTicksError as error:
        raise NotInTicksError(f"{choice.name} {error}") from None
    return _Plan(policy, course, refusal, states)


def play_lane(scenario: Scenario, choice: PolicyChoice) -> PlayedLane:
    """Play one lane of the scenario from beginning to end. Raises `ScenarioError`."""
    try:
        plan = _plan(scenario, choice)
    except NotInTicksError as error:
        raise ScenarioError(str(error)) from None
    stage = set_stage(scenario, choice.lane_name)
    capacities_per_s = whole_ticks.capacities(stage)
    issued = _arrivals(scenario, stage)
    lane = LaneInTicks(
        plan.policy,
        plan.course,
        plan.refusal,
        issued,
        _stream(f"{scenario.seed}/ticks/{choice.lane_name}"),
        by_chance=scenario.simulation.admits is Admits.BY_CHANCE,
    )
    players = _players(lane, plan, choice)
    fitting = whole_ticks.admissions(capacities_per_s)
    for tick, (new, fits) in enumerate(zip(issued, fitting, strict=True)):
        players.play(tick, new, fits)
    return PlayedLane(
        lane_line(scenario, choice),
        lane.tally.metered(capacities_per_s),
        lane.tally.clients(),
        faults=stage.recorded_faults(),
        actions=stage.recorded_actions(),
    )


def _players(lane: LaneInTicks, plan: _Plan, choice: PolicyChoice) -> Players:
    budget = plan.policy.budget if isinstance(plan.policy, Retry) else None
    if budget is None:
        return SharedStates(lane, [], 1)
    if plan.states > MOST_STATES:
        return EachClient(lane, purses_of(bulk_of(budget), plan.states), plan.states)
    source, budgets = source_of(choice), []
    for _ in range(plan.states):
        policy = source.build()
        assert isinstance(policy, Retry)  # noqa: S101 - as the first one is
        own = bulk_of(policy.budget) if policy.budget is not None else None
        assert own is not None  # noqa: S101 - nor is the first one's
        budgets.append(own)
    return SharedStates(lane, budgets, plan.states)


def _arrivals(scenario: Scenario, stage: Stage) -> Sequence[int]:
    """How many new requests each tick has: the same ones for every lane."""
    if scenario.load.arrivals is Arrivals.CONSTANT:
        return whole_ticks.arrivals(scenario, stage)
    expected = np.diff(whole_ticks.expected_arrivals(scenario, stage), prepend=0.0)
    drawn: list[int] = _stream(f"{scenario.seed}/ticks/arrivals").poisson(expected).tolist()
    return drawn


def _stream(name: str) -> np.random.Generator:
    """Randomness of this name, the same on every machine."""
    digest = hashlib.sha256(name.encode()).digest()
    words = [int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))
