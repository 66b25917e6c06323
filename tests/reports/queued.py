"""A service with a queue and clients that time out, tick by tick: records with known storms.

Capacity attempts are served a tick, in order; an attempt that has waited for the timeout is given
up by its client, who sends the next one at once. A service that finishes such work spends capacity
on it; one that drops it does not.
"""

from collections import Counter, deque
from dataclasses import dataclass, field

from reports.record import Requests, bucket_of
from tests.reports.synthetic import TICK_S, Served, Shape

ROOM = 10
TIMEOUT = 10
"""Ticks that a client waits for an attempt."""


@dataclass(eq=False)
class Attempt:
    number: int
    due: int
    came: int
    gone: bool = False


@dataclass(eq=False)
class Queued:
    """One lane: `rate` new requests a tick, each with `attempts` at most."""

    lane: str = "a"
    rate: int = 7
    attempts: int = 3
    finish: bool = True
    dip: range = range(100, 120)
    left: int = 2
    limit: int = 1_000
    blocked: range = range(0)
    ticks: int = 420
    waiting: deque[Attempt] = field(default_factory=deque)
    bins: dict[int, Requests] = field(default_factory=dict)

    def shape(self, policy: str | None = None) -> Shape:
        offered, served = [], []
        for tick in range(self.ticks):
            came, became = self._step(tick)
            offered.append(came)
            served.append(became)
        return Shape(self.lane, offered, policy, requests=tuple(self.bins.values()), served=served)

    def capacity(self, tick: int) -> float:
        return float(self.left if tick in self.dip else ROOM)

    def _step(self, tick: int) -> tuple[list[int], Served]:
        self.bins[tick] = Requests(tick * TICK_S, self.lane, issued=self.rate)
        gone = [a for a in self.waiting if not a.gone and tick - a.came >= TIMEOUT]
        arrive = [Attempt(1, tick, tick) for _ in range(self.rate)]
        for attempt in gone:
            attempt.gone = True
            if attempt.number < self.attempts:
                arrive.append(Attempt(attempt.number + 1, attempt.due, tick))
            else:
                self.bins[attempt.due].failed["out-of-attempts"] += 1
        blocked = [a for a in arrive if tick in self.blocked and a.number > 1]
        taken: list[Attempt] = []
        away = list(blocked)
        for attempt in arrive:
            self.bins[attempt.due].attempts += 1
            if attempt in blocked:
                continue
            (taken if len(self.waiting) + len(taken) < self.limit else away).append(attempt)
        for attempt in away:
            self.bins[attempt.due].failed["not-retried"] += 1
        self.waiting.extend(taken)
        completed = self._serve(tick)
        counts = Counter(a.number for a in arrive)
        live = sum(not a.gone for a in self.waiting)
        return [counts[n] for n in range(1, self.attempts + 1)], Served(
            admitted=len(taken),
            completed=completed,
            abandoned=len(gone),
            queue=len(self.waiting),
            in_flight=live,
            blocked=len(blocked),
        )

    def _serve(self, tick: int) -> int:
        """Serve what fits; returns how many were answered."""
        room, answered = int(self.capacity(tick)), 0
        while room and self.waiting:
            attempt = self.waiting.popleft()
            if attempt.gone:
                room -= self.finish
                continue
            room -= 1
            answered += 1
            bin_ = self.bins[attempt.due]
            bin_.succeeded += 1
            bin_.latency[bucket_of(2.0 + (tick - attempt.due) * 100)] += 1
        return answered
