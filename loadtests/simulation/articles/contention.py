"""Brooker's model of 2015, re-run by article 003: clients contend for one row of a database."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff import Backoff, BackoffState, next_wait_s


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
            self.row.send(now_s, self.done)
        else:
            self.row.send(now_s, self.failed)

    def done(self, _now_s: float) -> None:
        """Back at the client, that has nothing more to do: the model ends when all know."""

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
