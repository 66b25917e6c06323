"""Requests on their way where few states are shared by all clients: counts, not requests.

Those whose next attempt arrives in the same tick, with the same number, and who were due in the
same tick, are alike. So are those of the same state.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadtests.policies.actions import StopReason
from loadtests.policies.budgets import BulkBudget
from loadtests.simulation.ticks.draws import among, some_of
from loadtests.simulation.ticks.lane import LaneInTicks
from loadtests.simulation.ticks.waits import Chances
from reports.reading.series import Counts


@dataclass(slots=True)
class _Groups:
    """Groups of requests whose attempts arrive in a tick: columns of the same length."""

    states: Counts
    attempts: Counts
    ages: Counts
    counts: Counts

    def where(self, kept: Counts) -> "_Groups":
        """Only these places."""
        return _Groups(self.states[kept], self.attempts[kept], self.ages[kept], self.counts[kept])


class SharedStates:
    """All requests of a lane that wait for their next attempt, by state."""

    def __init__(self, lane: LaneInTicks, budgets: Sequence[BulkBudget], states: int) -> None:
        """`budgets` has one for each state, or none at all."""
        self._lane = lane
        self._budgets = budgets
        self._states = states
        self._next = 0
        self._delays = lane.longest_wait + 1
        self._ages = lane.oldest + 1
        shape = (self._delays, self._states, lane.course.attempts + 1, self._ages)
        self._waiting = np.zeros(shape, np.int64)
        self._due = np.zeros(self._delays, np.int64)

    def play(self, tick: int, new: int, fits: int) -> None:
        """One tick."""
        lane = self._lane
        lane.begin(tick)
        shares = self._in_turn(new) if self._states > 1 else [new]
        for state, budget in enumerate(self._budgets):
            budget.requested_many(lane.now_s, shares[state])
        if new > fits or self._due[tick % self._delays]:
            self._play_crowded(tick, shares, fits)
            return
        lane.tally.succeeded_at_once(tick, new)
        for state, budget in enumerate(self._budgets):
            budget.succeeded_many(lane.heard_s, shares[state])

    def _play_crowded(self, tick: int, shares: Sequence[int], fits: int) -> None:
        sent = self._arriving(tick, shares)
        lane = self._lane
        lane.tally.sent(tick, sent.attempts, tick - sent.ages, sent.counts)
        refused = lane.refuse_groups(sent.counts, fits)
        admitted = sent.counts - refused
        places = np.flatnonzero(refused)
        away = sent.where(places)
        away.counts = refused[places]
        served = np.flatnonzero(admitted)
        lane.tally.succeeded(tick, tick - sent.ages[served], admitted[served])
        for state, budget in enumerate(self._budgets):
            budget.succeeded_many(lane.heard_s, int(admitted[sent.states == state].sum()))
        if places.size:
            lane.tally.refused(tick, away.attempts, away.counts)
            self._hear(tick, away)

    def _in_turn(self, new: int) -> list[int]:
        """How many of the new requests each state has."""
        rounds, rest = divmod(new, self._states)
        shares = [rounds] * self._states
        for place in range(self._next, self._next + rest):
            shares[place % self._states] += 1
        self._next = (self._next + rest) % self._states
        return shares

    def _arriving(self, tick: int, shares: Sequence[int]) -> _Groups:
        """Those whose wait is over and who may send still, and the new ones."""
        lane, slot = self._lane, tick % self._delays
        waiting = self._waiting[slot].reshape(-1)
        places = np.flatnonzero(waiting)
        counts = waiting[places]
        waiting[places] = 0
        self._due[slot] = 0
        rest, births = np.divmod(places, self._ages)
        states, attempts = np.divmod(rest, lane.course.attempts + 1)
        found = _Groups(states, attempts, (tick - births) % self._ages, counts)
        late = lane.is_late[found.ages]
        if late.any():
            over = found.where(np.flatnonzero(late))
            lane.tally.failed(StopReason.DEADLINE, tick - over.ages, over.counts)
            found = found.where(np.flatnonzero(~late))
        given = np.array(shares)
        fresh = np.flatnonzero(given)
        return _Groups(
            np.concatenate((found.states, fresh)),
            np.concatenate((found.attempts, np.ones_like(fresh))),
            np.concatenate((found.ages, np.zeros_like(fresh))),
            np.concatenate((found.counts, given[fresh])),
        )

    def _hear(self, tick: int, away: _Groups) -> None:
        """Those that were turned away stop, or wait."""
        lane = self._lane
        asking = away.counts.copy()
        out = lane.is_last(away.attempts)
        if lane.course.reason is not None and out.any():
            lane.tally.failed(lane.course.reason, (tick - away.ages)[out], asking[out])
            asking[out] = 0
        laws = lane.laws_of(away.attempts, away.ages)
        if lane.has_deadline:
            stopped = lane.rng.binomial(asking, laws.stops)
            lane.tally.failed(StopReason.DEADLINE, tick - away.ages, stopped)
            asking -= stopped
        granted = self._granted(away, asking)
        if granted is not asking:
            lane.tally.failed(StopReason.BUDGET, tick - away.ages, asking - granted)
        places = np.flatnonzero(granted)
        if places.size:
            self._wait(tick, away.where(places), granted[places], laws.waits[places])

    def _granted(self, away: _Groups, asking: Counts) -> Counts:
        """How many of those asking each group's budget lets go on."""
        if not self._budgets:
            return asking
        lane = self._lane
        granted = np.zeros_like(asking)
        by_failure = self._budgets[0].counts_failures
        basis = np.where(lane.counted[away.attempts], away.counts, 0) if by_failure else asking
        for state, budget in enumerate(self._budgets):
            own = np.flatnonzero((away.states == state) & (basis > 0))
            if not own.size:
                continue
            failures = int(basis[own].sum())
            first = budget.withdraw_many(lane.heard_s, failures)
            if first < failures:
                picked = some_of(lane.rng, basis[own], first)
                granted[own] = among(lane.rng, asking[own], basis[own], picked)
            else:
                granted[own] = asking[own]
        return granted

    def _wait(self, tick: int, going: _Groups, counts: Counts, chances: Chances) -> None:
        """Spread them over the ticks in which they come back."""
        spread = self._lane.rng.multinomial(counts, chances)
        slots = (tick + 1 + np.arange(spread.shape[1])) % self._delays
        births = (tick - going.ages) % self._ages
        attempts = self._lane.following(going.attempts)
        places = (slots, going.states[:, None], attempts[:, None], births[:, None])
        np.add.at(self._waiting, places, spread)  # groups whose attempts are alike now are one
        self._due[slots] += spread.sum(axis=0)
