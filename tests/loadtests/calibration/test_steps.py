"""A step is counted in its window, and given up when it has broken down."""

import tracemalloc

import pytest

from loadtests.calibration.steps import (
    Purpose,
    Step,
    StepCount,
    StepLimits,
    StepResult,
    Stopped,
    quantile,
)

LIMITS = StepLimits(warm_up_s=1.0, measured_s=4.0, max_in_flight=50)
STEP = Step(10.0, Purpose.GROW, bound_s=0.2)


def played(latency_s: float, ok: bool = True, late_s: float = 0.0) -> StepResult:
    """Ten a second, each answered after `latency_s`."""
    count = StepCount(STEP, LIMITS)
    for k in range(50):
        count.left(k / 10, k / 10 + late_s)
        count.ended(k / 10, k / 10 + latency_s, ok)
    return count.result(cpu=0.3)


def test_a_step_that_goes_well() -> None:
    """What was due in the window, what ended in it, and its latencies."""
    result = played(0.05)
    assert (result.offered_per_s, result.goodput_per_s) == (10, 10)
    assert result.batches_per_s == (10.0,) * 10
    assert (result.succeeded_share, result.slow_share) == (1, 0)
    assert result.p50_s == pytest.approx(0.05)
    assert (result.measured_s, result.cpu, result.stopped) == (4, 0.3, None)


def test_the_warm_up_counts_neither_failures_nor_latencies() -> None:
    """The first second of a cold service says nothing of the others."""
    count = StepCount(STEP, LIMITS)
    for k in range(50):
        warm = k >= 10
        count.left(k / 10, k / 10)
        count.ended(k / 10, k / 10 + (0.01 if warm else 0.9), warm)
    result = count.result(cpu=0.0)
    assert result.succeeded_share == 1
    assert result.p95_s == pytest.approx(0.01)


def test_goodput_is_what_ends_in_the_window_and_latency_is_of_what_is_due_in_it() -> None:
    """A queue that grows: all succeed in the end, and still less was done than asked for."""
    count = StepCount(STEP, LIMITS)
    for k in range(50):
        count.left(k / 10, k / 10)
        count.ended(k / 10, k / 5, ok=True)
    result = count.result(cpu=0.0)
    assert (result.offered_per_s, result.goodput_per_s) == (10, 5)
    assert result.succeeded_share == 1
    assert result.slow_share == 1
    assert result.p95_s > 4


def test_failures_are_no_goodput() -> None:
    """And have no latency."""
    result = played(0.05, ok=False)
    assert (result.goodput_per_s, result.succeeded_share, result.p95_s) == (0, 0, 0)


def test_lateness_is_of_the_sending() -> None:
    """By how much the generator was late."""
    assert played(0.05, late_s=0.02).late_p99_s == pytest.approx(0.02)


def test_too_many_in_flight_stop_a_step_at_any_time() -> None:
    """So does nothing else within the warm-up."""
    count = StepCount(STEP, LIMITS)
    for k in range(49):
        count.left(k / 100, k / 100)
    assert count.broken_down(0.5) is None
    count.left(0.5, 0.5)
    assert count.broken_down(0.5) is Stopped.IN_FLIGHT


def test_failures_stop_a_step_once_a_quarter_of_the_window_is_known() -> None:
    """More than a fifth of them; a fifth does not."""
    count = StepCount(STEP, LIMITS)
    for k in range(20):
        count.left(k / 10, k / 10)
        count.ended(k / 10, k / 10, ok=k % 5 > 0)
    assert count.broken_down(2.0) is None
    count.left(2.0, 2.0)
    count.ended(2.0, 2.0, ok=False)
    assert count.broken_down(1.9) is None
    assert count.broken_down(2.0) is Stopped.FAILURES


def test_a_queue_that_makes_everyone_late_stops_a_step() -> None:
    """40 in flight at 100/s are 400 ms each: twice the bound of 200 ms."""
    count = StepCount(Step(100.0, Purpose.GROW, 0.2), LIMITS)
    for k in range(40):
        count.left(k / 100, k / 100)
    assert count.broken_down(3.0) is None
    count.left(0.4, 0.4)
    assert count.broken_down(3.0) is Stopped.QUEUE


def test_a_stopped_step_is_measured_as_far_as_it_went() -> None:
    """Its rates are per second of that."""
    count = StepCount(STEP, LIMITS)
    for k in range(20):
        count.left(k / 10, k / 10)
        count.ended(k / 10, k / 10 + 0.01, ok=True)
    result = count.result(0.0, Stopped.FAILURES, now_s=2.0)
    assert (result.measured_s, result.goodput_per_s, result.offered_per_s) == (1, 10, 10)
    assert count.result(0.0, Stopped.IN_FLIGHT, now_s=0.5).measured_s == 0.5


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.5, 0), ([7], 0.95, 7), ([1, 2, 3, 4], 0.5, 2), (list(range(1, 101)), 0.95, 95)],
)
def test_quantiles_are_values_that_were_seen(
    values: list[float], share: float, expected: float
) -> None:
    """The smallest that at least so many do not exceed."""
    assert quantile(values, share) == expected


def test_a_long_step_takes_memory_for_numbers_alone() -> None:
    """Millions of requests are counted; an object for each would be ten times as much."""
    count = StepCount(STEP, LIMITS)
    tracemalloc.start()
    try:
        for k in range(20_000):
            count.left(k / 4000, k / 4000)
            count.ended(k / 4000, k / 4000 + 0.01, ok=True)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / 20_000 < 60
