"""pybreaker and aiobreaker, the real packages, beside ours: the same calls let out, always."""

import contextlib
import threading
from collections.abc import Coroutine, Generator
from datetime import datetime, timedelta, tzinfo
from random import Random
from typing import Any

import aiobreaker
import aiobreaker.circuitbreaker
import aiobreaker.state
import pybreaker
import pytest

from loadtests.policies import preset
from loadtests.policies.guards import AioBreaker, PyBreaker
from loadtests.policies.retry import Retry
from tests.loadtests.policies.breaker_play import FAILED, GOOD, Play

_STEP_S = 0.125
"""Times are whole multiples of it, so that floats and the packages' microseconds agree exactly."""


class _Clock:
    """Stands in for `datetime` in the packages' modules."""

    now_s = 0.0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime(2026, 1, 1, tzinfo=tz) + timedelta(seconds=cls.now_s)

    @classmethod
    def utcnow(cls) -> datetime:
        return cls.now()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[_Clock]:
    """The packages' clock, at 0."""
    for module in (pybreaker, aiobreaker.circuitbreaker, aiobreaker.state):
        monkeypatch.setattr(module, "datetime", _Clock)
    monkeypatch.setattr(_Clock, "now_s", 0.0)
    return _Clock


def _called(breaker: pybreaker.CircuitBreaker, fails: bool) -> bool:
    """Whether the real one let the call out."""
    called = []

    def work() -> None:
        called.append(1)
        if fails:
            raise OSError

    with contextlib.suppress(OSError, pybreaker.CircuitBreakerError):
        breaker.call(work)
    return bool(called)


@pytest.mark.parametrize("seed", range(60))
def test_pybreaker_lets_out_the_same_calls(seed: int, clock: type[_Clock]) -> None:
    """Random successes and failures, moves of the clock, and parameters."""
    rng = Random(seed)
    fail_max, threshold = rng.randint(1, 6), rng.randint(1, 3)
    timeout_s = rng.randint(1, 40) * _STEP_S
    real = pybreaker.CircuitBreaker(fail_max, timeout_s, threshold)
    policy = preset(
        "pybreaker-1.4",
        fail_max=fail_max,
        reset_timeout_s=timeout_s,
        success_threshold=threshold,
    ).build()
    ours = Play(policy)
    assert isinstance(policy, Retry)
    guard = policy.guard
    assert isinstance(guard, PyBreaker)
    failing = 0.5
    let_out = []
    for _ in range(400):
        if rng.random() < 0.05:
            failing = rng.choice([0.1, 0.5, 0.95])
        clock.now_s += rng.choice([0, 0, 0, 1, 3, 20]) * _STEP_S
        fails = rng.random() < failing
        let_out.append(_called(real, fails))
        assert ours.call(clock.now_s, FAILED if fails else GOOD) == let_out[-1]
        assert guard._state.name.lower().replace("_", "-") == real.current_state
    assert sum(let_out) > 0


def test_pybreaker_was_driven_into_every_state(clock: type[_Clock]) -> None:
    """By the sequences above: open is refused, half-open is tried."""
    real = pybreaker.CircuitBreaker(2, 1.0)
    ours = Play(preset("pybreaker-1.4", fail_max=2, reset_timeout="1s").build())
    seen = []
    for now_s, fails in [(0, True), (0, True), (0.5, False), (1, True), (1.5, False), (2, False)]:
        clock.now_s = now_s
        seen.append(_called(real, fails))
        assert ours.call(now_s, FAILED if fails else GOOD) == seen[-1]
    assert seen == [True, True, False, True, False, True]


def test_the_lock_of_pybreaker_is_held_through_a_call() -> None:
    """What our `serialised` is about: nobody else gets in meanwhile."""
    real = pybreaker.CircuitBreaker()
    got_in: list[bool] = []

    def work() -> None:
        other = threading.Thread(target=lambda: got_in.append(real._lock.acquire(blocking=False)))
        other.start()
        other.join()

    real.call(work)
    assert got_in == [False]


def test_ours_lets_out_one_attempt_at_a_time_and_the_others_wait() -> None:
    """They are not refused; each is let out when those before it are done."""
    rng = Random(1)
    guard = PyBreaker()
    waiting = [(float(n) / 1000, n) for n in range(50)]
    ends_s, let_out = -1.0, []
    while waiting:
        waiting.sort()
        now_s, number = waiting.pop(0)
        if 0 <= ends_s <= now_s:
            guard.observed(ends_s, GOOD, 0)
            ends_s = -1.0
        admission = guard.admit(now_s, rng)
        if hasattr(admission, "seconds"):
            waiting.append((now_s + admission.seconds, number))
        else:
            assert ends_s < 0, "two at once"
            let_out.append(number)
            ends_s = now_s + 0.1
    assert sorted(let_out) == list(range(50))


class _Pending:
    """An answer that comes when the test says so."""

    def __await__(self) -> Generator[None, bool, None]:
        if (yield):
            raise OSError


class _RealAio:
    """The real aiobreaker with calls in flight: coroutines driven by hand, without a loop."""

    def __init__(self, fail_max: int, timeout_s: float) -> None:
        self.breaker = aiobreaker.CircuitBreaker(fail_max, timedelta(seconds=timeout_s))
        self.in_flight: list[Coroutine[Any, Any, Any]] = []

    def begin(self) -> bool:
        async def work() -> None:
            await _Pending()

        coroutine = self.breaker.call_async(work)
        try:
            coroutine.send(None)
        except aiobreaker.CircuitBreakerError:
            return False
        self.in_flight.append(coroutine)
        return True

    def end(self, fails: bool, index: int) -> None:
        with contextlib.suppress(StopIteration, OSError, aiobreaker.CircuitBreakerError):
            self.in_flight.pop(index).send(fails)


@pytest.mark.parametrize("seed", range(60))
def test_aiobreaker_lets_out_the_same_calls(seed: int, clock: type[_Clock]) -> None:
    """With many in flight at once, ended in any order, or cancelled."""
    rng = Random(seed)
    fail_max, timeout_s = rng.randint(1, 6), rng.randint(1, 40) * _STEP_S
    real = _RealAio(fail_max, timeout_s)
    policy = preset("aiobreaker-1.2", fail_max=fail_max, timeout_s=timeout_s).build()
    ours = Play(policy)
    assert isinstance(policy, Retry)
    guard = policy.guard
    assert isinstance(guard, AioBreaker)
    for _ in range(500):
        clock.now_s += rng.choice([0, 0, 0, 0, 1, 3, 20]) * _STEP_S
        event = rng.random()
        if event < 0.5 or not real.in_flight:
            assert ours.begin(clock.now_s) == real.begin()
        elif event < 0.95:
            index, fails = rng.randrange(len(real.in_flight)), rng.random() < 0.6
            real.end(fails, index)
            ours.end(clock.now_s, FAILED if fails else GOOD, index)
        else:
            index = rng.randrange(len(real.in_flight))
            real.in_flight.pop(index).close()
            ours.abandon(clock.now_s, index)
        assert guard._state.name == real.breaker.current_state.name
    for coroutine in real.in_flight:
        coroutine.close()


def test_both_aiobreakers_let_everyone_through_half_open(clock: type[_Clock]) -> None:
    """A hundred that come before the first of them has ended."""
    real, ours = _RealAio(1, 1.0), Play(preset("aiobreaker-1.2", fail_max=1, timeout="1s").build())
    assert ours.call(0.0, FAILED)
    assert real.begin()
    real.end(True, 0)
    clock.now_s = 1.0
    assert [real.begin() for _ in range(100)] == [True] * 100
    assert [ours.begin(1.0) for _ in range(100)] == [True] * 100
    for coroutine in real.in_flight:
        coroutine.close()
