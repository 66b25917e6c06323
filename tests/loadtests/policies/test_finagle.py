"""Finagle, by `Backoff.scala`, `RetryBudget.scala` and `WindowedAdder.scala`."""

from random import Random

import pytest

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.backoff import BackoffState, RisingJitter, next_wait_s
from loadtests.policies.budgets import FinagleBudget
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.uniform import LIMIT, uniform_distance


def retries_at(budget: FinagleBudget, now_s: float, most: int = 100_000) -> int:
    """How many the budget allows now."""
    for number in range(most):
        if budget.withdraw(now_s, OVERLOADED) is None:
            return number
    return most


def test_a_hundred_retries_are_there_at_once_without_any_traffic() -> None:
    """10/s for 10 s: reserve 10·10·5000, a retry costs 5000."""
    assert retries_at(FinagleBudget(), 0.0) == 100


@pytest.mark.parametrize(
    ("share", "requests", "retries"), [(0.2, 10, 2), (0.2, 14, 2), (0.1, 99, 9), (2.0, 3, 6)]
)
def test_a_request_deposits_its_share_of_a_retry(share: float, requests: int, retries: int) -> None:
    """Deposit 1000, withdraw 1000/share. Without a reserve."""
    budget = FinagleBudget(min_per_second=0, ratio=share)
    for _ in range(requests):
        budget.requested(0.0)
    assert retries_at(budget, 0.0) == retries


def test_without_a_share_only_the_reserve_is_there() -> None:
    """Then a retry costs 1, and requests deposit nothing."""
    budget = FinagleBudget(min_per_second=3, ratio=0)
    for _ in range(1000):
        budget.requested(0.0)
    assert retries_at(budget, 0.0) == 30
    assert retries_at(FinagleBudget(min_per_second=0, ratio=0), 0.0) == 0


def test_deposits_expire_after_the_ttl() -> None:
    """One slice is written to and nine are kept, of 1 s each: gone when the tenth has passed."""
    for now_s, left in ((8.9, 2), (9.9, 2), (10.0, 0), (1000.0, 0)):
        budget = FinagleBudget(min_per_second=0)
        for _ in range(10):
            budget.requested(0.0)
        assert retries_at(budget, now_s) == left, now_s


def test_withdrawals_expire_as_deposits_do() -> None:
    """The reserve of 100 is there again when they are forgotten, all of it at once."""
    for now_s, left in ((9.9, 0), (10.0, 100)):
        budget = FinagleBudget()
        assert retries_at(budget, 0.0) == 100
        assert retries_at(budget, now_s) == left


class WindowedAdder:
    """The original, line by line: what our window is held against."""

    def __init__(self, range_ms: int, slices: int) -> None:
        self.window, self.n = range_ms // slices, slices - 1
        self.buf, self.writer, self.i, self.old = [0] * self.n, 0, 0, 0

    def add(self, now_ms: int, amount: int) -> None:
        self._expire(now_ms)
        self.writer += amount

    def sum(self, now_ms: int) -> int:
        self._expire(now_ms)
        return self.writer + sum(self.buf)

    def _expire(self, now_ms: int) -> None:
        if now_ms - self.old < self.window:
            return
        self.buf[self.i] = self.writer
        self.writer = 0
        self.i = (self.i + 1) % self.n
        skip = min((now_ms - self.old) // self.window - 1, self.n)
        if skip > 0:
            r = min(skip, self.n - self.i)
            self.buf[self.i : self.i + r] = [0] * r
            self.buf[0 : skip - r] = [0] * (skip - r)
            self.i = (self.i + skip) % self.n
        self.old = now_ms


def test_the_window_is_that_of_the_original_in_any_sequence() -> None:
    """Random requests, retries and pauses, some of them long."""
    rng = Random(1)
    for _ in range(100):
        ttl_s, ratio = rng.randint(1, 60), rng.choice([0.1, 0.2, 0.5, 1.0])
        budget = FinagleBudget(ttl_s, 1, ratio)
        theirs, cost, now_ms = WindowedAdder(ttl_s * 1000, 10), int(1000 / ratio), 0
        budget.requested(0.0)
        theirs.add(0, 1000)
        for _ in range(300):
            now_ms += rng.choice([0, 1, 30, 500, ttl_s * 100, ttl_s * 1500])
            if rng.random() < 0.5:
                budget.requested(now_ms / 1000)
                theirs.add(now_ms, 1000)
                continue
            allowed = theirs.sum(now_ms) + ttl_s * cost >= cost
            if allowed:
                theirs.add(now_ms, -cost)
            assert (budget.withdraw(now_ms / 1000, OVERLOADED) is not None) == allowed


def test_retries_are_bounded_by_the_reserve_and_the_share_in_any_window() -> None:
    """In ttl seconds at most 100 + 20% of the requests, also where the clock steps back."""
    rng = Random(2)
    budget = FinagleBudget()
    now_s, events = 0.0, []
    for _ in range(20_000):
        now_s += rng.choice([0.0, 0.001, 0.01, -0.005])
        if rng.random() < 0.3:
            budget.requested(now_s)
            events.append((now_s, 0))
        elif budget.withdraw(now_s, OVERLOADED) is not None:
            events.append((now_s, 1))
    requests = sum(1 for _, kind in events if kind == 0)
    retries = sum(kind for _, kind in events)
    spans = now_s / 9 + 1
    assert retries <= 0.2 * requests + 100 * spans


def test_the_first_wait_is_the_start_without_jitter() -> None:
    """`def duration = start`: everybody's first retry comes after exactly 5 ms."""
    waits = [
        drive(preset("finagle-24").build(), [OVERLOADED] * 3, rng=Random(seed)).waits
        for seed in range(50)
    ]
    assert {first for first, _ in waits} == {0.005}
    assert len({second for _, second in waits}) == 50


def test_the_second_wait_is_uniform_from_the_first_up_to_three_times_it() -> None:
    """From 5 to 15 ms: the wait before is the lower end."""
    rng = Random(3)
    policy = preset("finagle-24", min_retries_per_second=1_000_000).build()
    waits = [drive(policy, [OVERLOADED] * 3, rng=rng).waits[1] for _ in range(10_000)]
    assert uniform_distance(waits, 0.005, 0.015) < LIMIT


def test_waits_only_grow_and_gather_at_the_longest() -> None:
    """The fault: by the 20th retry nearly everybody waits for 200 ms. AWS's come down again."""
    backoff, rng = RisingJitter(0.005, 0.2), Random(4)
    last = []
    for _ in range(2_000):
        state = BackoffState()
        waits = [next_wait_s(backoff, state, rng) for _ in range(20)]
        assert waits == sorted(waits)
        assert waits[-1] <= 0.2
        last.append(waits[-1])
    assert sum(wait > 0.195 for wait in last) > 0.9 * len(last)


@pytest.mark.parametrize(
    ("outcome", "retried"),
    [
        (OVERLOADED, True),
        (Outcome(status=500), False),
        (Outcome(status=None, error=AttemptError.REFUSED), True),
        (Outcome(status=None, error=AttemptError.RESET), False),
        (Outcome(status=None, error=AttemptError.TIMEOUT), False),
    ],
)
def test_what_could_not_be_written_is_retried_and_a_nack(outcome: Outcome, retried: bool) -> None:
    """`tries` retries by `WriteExceptionsOnly`."""
    assert (drive(preset("finagle-24").build(), [outcome, SERVED]).attempts == 2) == retried


def test_an_outage_empties_the_budget() -> None:
    """1,000 requests in 10 s: 100 from the reserve and 20% of them; three tries would be 2,000."""
    policy = preset("finagle-24").build()
    driven = [drive(policy, [OVERLOADED] * 3, start_s=number / 100) for number in range(1000)]
    retries = sum(one.attempts - 1 for one in driven)
    assert 300 <= retries <= 320
    assert driven[-1].reason is StopReason.BUDGET


@pytest.mark.parametrize("ttl", ["0.5s", "61s"])
def test_the_ttl_is_between_a_second_and_a_minute(ttl: str) -> None:
    """As Finagle requires."""
    with pytest.raises(ValueError, match="ttl is"):
        preset("finagle-24", ttl=ttl)
