"""The two models of article 003: a herd at a service, and clients contending for one row."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff import Backoff, BackoffState, next_wait_s


@dataclass(frozen=True)
class Herd:
    """What came of one: calls, retries in the busiest slot, and when all were served."""

    calls: int
    busiest: int
    done_s: float


def herd(backoff: Backoff, *, clients: int = 2000, per_slot: int = 25, seed: int = 7) -> Herd:
    """All failed together at 0; `per_slot` calls are answered in each 10 ms, the others fail again.

    Who is answered is drawn by shuffling the callers of a slot, in order of their number, and waits
    are drawn from the same random numbers: those of the article's listing, in its order.
    """
    rng = Random(seed)
    states = [BackoffState() for _ in range(clients)]
    slots: dict[int, list[int]] = {0: list(range(clients))}
    pending, calls, busiest, ms = [0], 0, 0, 0
    while pending:
        ms = heapq.heappop(pending)
        callers = sorted(slots.pop(ms))
        rng.shuffle(callers)
        calls += len(callers)
        busiest = max(busiest, len(callers)) if ms else 0
        for client in callers[per_slot:]:
            when_s = ms / 1000 + next_wait_s(backoff, states[client], rng)
            slot = max(ms + 10, _slot_of(when_s))
            if slot not in slots:
                slots[slot] = []
                heapq.heappush(pending, slot)
            slots[slot].append(client)
    return Herd(calls, busiest, (ms + 10) / 1000)


def _slot_of(when_s: float) -> int:
    """The beginning of its slot in milliseconds, compared as the listing does."""
    ms = max(0, int(when_s * 100) - 1) * 10
    while not when_s < (ms + 10) / 1000:
        ms += 10
    return ms


@dataclass(frozen=True)
class Contention:
    """What came of it: writes that were tried, and when the last one succeeded."""

    calls: int
    done_s: float


_Event = Callable[[float], None]


class _Row:
    """A row with a version, and clients that each want to write it once (Brooker 2015)."""

    def __init__(self, backoff: Backoff, seed: int) -> None:
        self.backoff = backoff
        self.rng = Random(seed)
        self.version = self.calls = 0
        self.events: list[tuple[float, int, _Event]] = []
        self.ties = itertools.count()

    def send(self, now_s: float, event: _Event) -> None:
        """It arrives after a delay of ``|N(10, 2)|`` ms."""
        arrives_s = now_s + abs(self.rng.normalvariate(0.010, 0.002))
        heapq.heappush(self.events, (arrives_s, next(self.ties), event))


class _Client:
    """Reads, then writes; a stale version fails, backs off and reads again."""

    def __init__(self, row: _Row) -> None:
        self.row = row
        self.state = BackoffState()
        row.send(0.0, self.read)

    def read(self, now_s: float) -> None:
        """At the row."""
        version = self.row.version
        self.row.send(now_s, lambda at_s: self.row.send(at_s, lambda w_s: self.write(w_s, version)))

    def write(self, now_s: float, version: int) -> None:
        """At the row."""
        self.row.calls += 1
        if version == self.row.version:
            self.row.version += 1
            self.row.send(now_s, lambda at_s: None)
        else:
            self.row.send(now_s, self.failed)

    def failed(self, now_s: float) -> None:
        """Back at the client."""
        wait_s = next_wait_s(self.row.backoff, self.state, self.row.rng)
        self.row.send(now_s + wait_s, self.read)


def contention(backoff: Backoff, *, clients: int = 100, seed: int = 0) -> Contention:
    """All begin at 0."""
    row, now_s = _Row(backoff, seed), 0.0
    for _ in range(clients):
        _Client(row)
    while row.events:
        now_s, _, event = heapq.heappop(row.events)
        event(now_s)
    return Contention(row.calls, now_s)
