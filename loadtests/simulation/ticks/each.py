"""Requests on their way where each of very many clients has a state: one by one, in arrays."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from loadtests.policies.actions import StopReason
from loadtests.simulation.ticks.lane import LaneInTicks, Mask
from loadtests.simulation.ticks.purses import Purses
from reports.reading.series import Counts


@dataclass(slots=True)
class _Requests:
    """Columns of the same length: whose, the number of the attempt, the tick it was due in."""

    clients: Counts
    attempts: Counts
    origins: Counts

    def at(self, places: Counts) -> "_Requests":
        """Only these places, in this order."""
        return _Requests(self.clients[places], self.attempts[places], self.origins[places])


class EachClient:
    """All requests of a lane that wait for their next attempt, one by one."""

    def __init__(self, lane: LaneInTicks, purses: Purses, clients: int) -> None:
        """`purses` has one for each client."""
        self._lane = lane
        self._purses = purses
        self._clients = clients
        self._next = 0
        self._due: dict[int, list[_Requests]] = defaultdict(list)

    def play(self, tick: int, new: int, fits: int) -> None:
        """One tick."""
        self._lane.begin(tick)
        first, self._next = self._next, (self._next + new) % self._clients
        for part, requests in self._in_turn(first, new):
            self._purses.requested(part, requests)
        due = self._due.pop(tick, [])
        if due or new > fits:
            self._play_crowded(tick, [*due, self._fresh(tick, first, new)], fits)
            return
        self._lane.tally.succeeded_at_once(tick, new)
        for part, requests in self._in_turn(first, new):
            self._purses.succeeded(part, requests)

    def _in_turn(self, first: int, new: int) -> list[tuple[slice, Counts]]:
        """Whose the new requests are, and how many each of these has."""
        rounds, rest = divmod(new, self._clients)
        end = first + rest
        wrapped = max(0, end - self._clients)
        parts = [
            (slice(None), rounds), (slice(first, end - wrapped), 1), (slice(0, wrapped), 1)
        ]  # fmt: skip
        return [
            (part, np.array(each))
            for part, each in parts
            if each and (part.stop is None or part.start < part.stop)
        ]

    def _fresh(self, tick: int, first: int, new: int) -> _Requests:
        return _Requests(
            (first + np.arange(new)) % self._clients,
            np.ones(new, np.int64),
            np.full(new, tick, np.int64),
        )

    def _play_crowded(self, tick: int, pieces: list[_Requests], fits: int) -> None:
        lane = self._lane
        sent = _together(pieces)
        late = lane.is_late[tick - sent.origins]
        if late.any():
            lane.tally.failed(StopReason.DEADLINE, sent.origins[late], None)
            sent = sent.at(np.flatnonzero(~late))
        lane.tally.sent(tick, sent.attempts, sent.origins, None)
        away = lane.refuse_each(sent.attempts.size, fits)
        is_served: Mask = np.ones(sent.attempts.size, np.bool_)
        is_served[away] = False
        lane.tally.succeeded(tick, sent.origins[is_served], None)
        clients, successes = np.unique(sent.clients[is_served], return_counts=True)
        self._purses.succeeded(clients, successes)
        if away.size:
            refused = sent.at(away)
            lane.tally.refused(tick, refused.attempts, None)
            self._hear(tick, refused)

    def _hear(self, tick: int, away: _Requests) -> None:
        """Those that were turned away stop, or wait; they hear of it in this order."""
        lane = self._lane
        asks = ~lane.is_last(away.attempts)
        if lane.course.reason is not None:
            lane.tally.failed(lane.course.reason, away.origins[~asks], None)
        waits = self._waits(tick, away, asks)
        stopped = asks & (waits == 0)
        if stopped.any():
            lane.tally.failed(StopReason.DEADLINE, away.origins[stopped], None)
            asks &= ~stopped
        basis = lane.counted[away.attempts] if self._purses.counts_failures else asks
        granted = asks & self._granted(away.clients, basis)
        lane.tally.failed(StopReason.BUDGET, away.origins[asks & ~granted], None)
        self._wait(tick, away, waits, np.flatnonzero(granted))

    def _waits(self, tick: int, away: _Requests, asks: Mask) -> Counts:
        """How many ticks each that asks would wait; 0 where the deadline stops it."""
        lane = self._lane
        waits = np.zeros(away.attempts.size, np.int64)
        width = lane.oldest + 1
        ages = tick - away.origins if lane.has_deadline else np.zeros_like(away.origins)
        keys = np.where(asks, away.attempts * width + ages, 0)
        for key in np.unique(keys).tolist():
            if not key:
                continue
            own = np.flatnonzero(keys == key)
            law = lane.law(*divmod(key, width))
            edges = np.cumsum(np.concatenate(([law.stops], law.waits * (1 - law.stops))))
            waits[own] = np.searchsorted(edges[:-1], lane.rng.random(own.size), side="right")
        return waits

    def _granted(self, clients: Counts, basis: Mask) -> Mask:
        """Whose budget lets a retry follow: of those in the basis the first ones of each client."""
        granted: Mask = np.zeros(clients.size, np.bool_)
        places = np.flatnonzero(basis)
        if not places.size:
            return granted
        places = places[np.argsort(clients[places], kind="stable")]
        owners, starts, counts = np.unique(clients[places], return_index=True, return_counts=True)
        ranks = np.arange(places.size) - np.repeat(starts, counts)
        first = np.repeat(self._purses.withdraw(owners, counts), counts)
        granted[places] = ranks < first
        return granted

    def _wait(self, tick: int, away: _Requests, waits: Counts, going: Counts) -> None:
        """Put each into the tick in which it comes back."""
        going = going[np.argsort(waits[going], kind="stable")]
        lasting, starts = np.unique(waits[going], return_index=True)
        for ticks, places in zip(lasting.tolist(), np.split(going, starts[1:]), strict=False):
            back = away.at(places)
            back.attempts = self._lane.following(back.attempts)
            self._due[tick + ticks].append(back)


def _together(pieces: list[_Requests]) -> _Requests:
    return _Requests(
        np.concatenate([piece.clients for piece in pieces]),
        np.concatenate([piece.attempts for piece in pieces]),
        np.concatenate([piece.origins for piece in pieces]),
    )
