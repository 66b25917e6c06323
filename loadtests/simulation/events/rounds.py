"""The reject model in whole ticks, request by request, with the policy objects themselves.

Which attempts of a tick are admitted is random (`simulation.admits`). First all that is due is
sent, then those that were admitted hear of it, and then those that were turned away, in random
order: as with a live target, whose tick admits those that come first. Requests go to the clients in
turn.
"""

import math
from collections.abc import Iterable
from itertools import islice
from random import Random

from loadtests.policies.actions import SEND, Action, Send, Stop, StopReason, Wait
from loadtests.policies.budgets import Bucket
from loadtests.policies.call import Call
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.request import Request, State
from loadtests.policies.retry import NoRetry, Retry
from loadtests.policy_states import policies_in_turn
from loadtests.scenario import PolicyChoice, Scenario, ScenarioError
from loadtests.scenario.simulation import Admits
from loadtests.simulation import whole_ticks
from loadtests.simulation.events.bounds import Bounds
from loadtests.simulation.events.round_counts import RoundCounts
from loadtests.simulation.fleet import jitter_of, lane_line, source_of, states_of
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import Told, each_tick, set_stage, told_nobody


def play_lane(
    scenario: Scenario,
    choice: PolicyChoice,
    until_s: float = math.inf,
    on_second: Told = told_nobody,
) -> PlayedLane:
    """Play one lane from beginning to end, or only up to `until_s`.

    Raises `ScenarioError` for what has no meaning in whole ticks, and `PolicyError`.
    """
    obstacle = whole_ticks.obstacle(scenario, choice)
    if obstacle is not None:
        raise ScenarioError(f"simulation.admits: {obstacle}: expected in-order")
    return _Rounds(scenario, choice, until_s).play(on_second)


class _Trip:
    """A request on its way, and the tick in which it was due."""

    __slots__ = ("origin", "request")

    def __init__(self, request: Request, origin: int) -> None:
        self.request = request
        self.origin = origin


class _Rounds:
    """One lane, tick by tick."""

    def __init__(self, scenario: Scenario, choice: PolicyChoice, until_s: float) -> None:
        lane = choice.lane_name
        self._scenario = scenario
        self._stage = set_stage(scenario, lane, until_s)
        self._bounds = Bounds(self._stage, choice)
        self._lane = lane_line(scenario, choice)
        states = states_of(scenario, choice)
        self._policies = list(islice(policies_in_turn(source_of(choice), states), states))
        self._is_idle = _is_idle_at_success(self._policies[0])
        self._next = self._sent = 0
        self._call = Call(jitter_of(scenario, choice), path=scenario.load.path)
        self._rng = Random(f"{scenario.seed}/rounds-{lane}/0")
        self._by_chance = scenario.simulation.admits is Admits.BY_CHANCE
        self._word = scenario.target.word()
        self._refusal = whole_ticks.refusal(self._word, 0.0, self._rng)
        self._due: list[list[_Trip]] = [[] for _ in range(self._stage.ticks)]
        self._counts = RoundCounts(self._stage.ticks)
        self._tick = 0
        self._now_s = self._heard_s = 0.0

    def play(self, on_second: Told) -> PlayedLane:
        """From the first tick to the last."""
        capacities_per_s = whole_ticks.capacities(self._stage)
        issued = whole_ticks.arrivals(self._scenario, self._stage)
        fitting = whole_ticks.admissions(capacities_per_s)
        ticks = each_tick(self._stage.ticks, on_second)
        for tick, new, fits in zip(ticks, issued, fitting, strict=True):
            self._tick, self._now_s = tick, self._stage.target.grid.start_s(tick)
            self._heard_s = self._now_s + whole_ticks.ANSWER_S
            self._play_tick(new, fits)
        return PlayedLane(
            self._lane,
            self._counts.metered(capacities_per_s),
            self._counts.clients(issued),
            faults=self._stage.recorded_faults(),
            actions=self._stage.recorded_actions(),
        )

    def _play_tick(self, new: int, fits: int) -> None:
        """Who is sent and not refused is admitted; of those that are idle then, none is made."""
        trips = self._resume()
        if not self._is_idle:
            trips += self._start(range(new))
        unmade = new if self._is_idle else 0
        refused = self._refuse(len(trips) + unmade, fits)
        lost = [place - len(trips) for place in refused if place >= len(trips)]
        turned_away = [trips[place] for place in refused if place < len(trips)]
        turned_away += self._start(lost)
        away = set(refused)
        admitted = [trip for place, trip in enumerate(trips) if place not in away]
        self._sent += len(trips) + unmade
        self._bounds.check(self._sent)
        if self._is_idle:
            self._request(new, set(lost))
        self._next += new
        self._counts.succeeded_at_first(self._tick, unmade - len(lost))
        self._rng.shuffle(turned_away)
        self._hear(turned_away, admitted)

    def _refuse(self, sent: int, fits: int) -> list[int]:
        """The places of those that are turned away, in their order."""
        if sent <= fits:
            return []
        if not self._by_chance:
            return sorted(self._rng.sample(range(sent), sent - fits))
        share, draw = (sent - fits) / sent, self._rng.random
        return [place for place in range(sent) if draw() < share]

    def _hear(self, turned_away: list[_Trip], admitted: list[_Trip]) -> None:
        """First the successes, then the refusals."""
        now_s, counts, tick = self._heard_s, self._counts, self._tick
        outcome, draws = self._refusal, self._word.draws
        for trip in admitted:
            if self._is_idle:
                counts.over(tick, trip.origin, StopReason.SUCCEEDED)
            else:
                self._act(trip, trip.request.finished(now_s, whole_ticks.SUCCESS))
        for trip in turned_away:
            if draws:
                outcome = whole_ticks.refusal(self._word, now_s, self._rng)
            counts.refused(tick, trip.request.attempts)
            self._act(trip, trip.request.finished(now_s, outcome))

    def _request(self, new: int, lost: set[int]) -> None:
        """Tell the budgets of the new requests that were not made: all but the lost."""
        policies = self._policies
        if not isinstance(policies[0], Retry) or policies[0].budget is None:
            return
        for place in range(new):
            if place not in lost:
                policy = policies[(self._next + place) % len(policies)]
                assert isinstance(policy, Retry)  # noqa: S101 - as the first one is
                assert policy.budget is not None  # noqa: S101 - likewise
                policy.budget.requested(self._now_s)

    def _start(self, places: Iterable[int]) -> list[_Trip]:
        """Start these of the tick's new requests; those that are sent."""
        found = []
        for place in places:
            policy = self._policies[(self._next + place) % len(self._policies)]
            trip = _Trip(Request(policy, self._call), self._tick)
            if self._is_sent(trip, trip.request.start(self._now_s)):
                found.append(trip)
        return found

    def _resume(self) -> list[_Trip]:
        """Those whose wait is over; those that are sent."""
        due, self._due[self._tick] = self._due[self._tick], []
        now_s = self._heard_s
        return [
            trip
            for trip in due
            if self._is_sent(
                trip, SEND if trip.request.state is State.READY else trip.request.resumed(now_s)
            )
        ]

    def _is_sent(self, trip: _Trip, action: Action) -> bool:
        """Send the attempt in this tick, or do what the policy says instead."""
        if not isinstance(action, Send):
            self._act(trip, action)
            return False
        if action.hedge_after_s is not None:
            raise ScenarioError(
                f"simulation.admits: {self._lane.lane} hedges, and in whole ticks no attempt takes "
                "any time: expected in-order"
            )
        self._counts.sent(self._tick, trip.request.sent(), trip.origin)
        return True

    def _act(self, trip: _Trip, action: Action) -> None:
        """What the policy says after an outcome. Who sends again does so in the next tick."""
        if isinstance(action, Stop):
            self._counts.over(self._tick, trip.origin, action.reason)
            return
        begins = self._tick + 1
        if isinstance(action, Wait) and action.seconds:
            ticks = whole_ticks.in_ticks(action.seconds)
            lasts = int(ticks) if ticks.is_integer() else int(ticks + self._rng.random())
            begins = self._tick + max(1, lasts)
        if begins < len(self._due):
            self._due[begins].append(trip)


def _is_idle_at_success(policy: RetryPolicy) -> bool:
    """Whether an attempt that is admitted changes nothing: a first one but what was requested."""
    if isinstance(policy, NoRetry):
        return True
    if not isinstance(policy, Retry) or policy.guard is not None:
        return False
    left_s = policy.deadline.attempt_s(0.0) if policy.deadline is not None else None
    return (left_s is None or left_s > 0) and isinstance(policy.budget, Bucket | None)
