"""The model of article 000, written anew: what a record of its five policies would hold.

Each tick new requests and due retries arrive; what does not fit in capacity is turned away, each
attempt with the same chance; a turned-away attempt is retried at most three times. Which attempts
are turned away is drawn one by one, as in the article, so that their number is right on average
only.
"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from reports.record import Requests, bucket_of
from tests.reports.synthetic import TICK_S, Shape

MAX_RETRY = 3
DIP = range(100, 120)
Wait = Callable[[int, random.Random], int]


def _exponential(retry: int) -> int:
    return min(64, 1 << retry)


@cache
def _bucket(ticks: int) -> int:
    """Of a request that took so long, and 2 ms to be answered."""
    return bucket_of(2.0 + ticks * TICK_S * 1000)


@dataclass(frozen=True)
class Policy:
    """`wait` is in ticks before retry number 1, 2, 3; `None` never retries."""

    name: str
    describe: str
    wait: Wait | None
    budget: bool = False


POLICIES = (
    Policy("no-retry", "never retries", None),
    Policy("immediate", "3 retries, each after 100 ms", lambda retry, rng: 1),
    Policy(
        "exponential",
        "3 retries, after 200, 400 and 800 ms",
        lambda retry, rng: _exponential(retry),
    ),
    Policy(
        "full-jitter",
        "3 retries, U(100 ms, min(6.4 s, 100 ms·2^n))",
        lambda retry, rng: 1 + rng.randrange(_exponential(retry)),
    ),
    Policy(
        "full-jitter-budget",
        "full jitter, and retries at most 10% of requests",
        lambda retry, rng: 1 + rng.randrange(_exponential(retry)),
        budget=True,
    ),
)


class Model:
    """One policy under one dip, tick by tick."""

    def __init__(self, policy: Policy, seed: int, capacity: int, arrivals: Callable[[int], int]):
        self.policy, self.capacity, self.arrivals = policy, capacity, arrivals
        self._rng = random.Random(f"{seed}/{policy.name}")
        self._tokens = 0.0
        # Retries due at a tick: (number of the retry, tick at which the request was due).
        self._due: dict[int, list[tuple[int, int]]] = {}
        self._bins: dict[int, Requests] = {}

    def run(self, ticks: int = 400) -> Shape:
        """Offered load by attempt number, and what became of the requests."""
        offered = [self._step(tick) for tick in range(ticks)]
        requests = tuple(self._bins[tick] for tick in sorted(self._bins))
        return Shape(self.policy.name, offered, describe=self.policy.describe, requests=requests)

    def _step(self, tick: int) -> list[int]:
        new = self.arrivals(tick)
        name = self.policy.name
        self._bins[tick] = Requests(tick * TICK_S, name, issued=new)
        attempts = [(0, tick)] * new + self._due.pop(tick, [])
        capacity = self.capacity // 5 if tick in DIP else self.capacity
        excess = max(0, len(attempts) - capacity)
        self._tokens = min(10.0, self._tokens + 0.1 * new)
        for number, due in attempts:
            self._bins[due].attempts += 1
            if excess and self._rng.randrange(len(attempts)) < excess:
                self._turned_away(number, due, tick)
            else:
                self._bins[due].succeeded += 1
                self._bins[due].latency[_bucket(tick - due)] += 1
        counts = Counter(number for number, _ in attempts)
        return [counts[number] for number in range(MAX_RETRY + 1)]

    def _turned_away(self, number: int, due: int, now: int) -> None:
        failed = self._bins[due].failed
        if self.policy.wait is None:
            failed["not-retried"] += 1
        elif number == MAX_RETRY:
            failed["out-of-attempts"] += 1
        elif self.policy.budget and self._tokens < 1:
            failed["budget"] += 1
        else:
            self._tokens -= self.policy.budget
            later = now + self.policy.wait(number + 1, self._rng)
            self._due.setdefault(later, []).append((number + 1, due))


def large(policy: Policy, seed: int, ticks: int = 400) -> Shape:
    """The article's own scale: 95 new requests against a capacity of 100 a tick."""
    return Model(policy, seed, 100, lambda tick: 95).run(ticks)


def small(policy: Policy, seed: int, ticks: int = 400) -> Shape:
    """A tenth of it, as a live run has it: 9 and 10 new requests in turn against 10 a tick."""
    return Model(policy, seed, 10, lambda tick: 9 + tick % 2).run(ticks)
