"""Requests are due when the schedule says, exactly, at any distance from the start."""

from itertools import islice
from random import Random

import pytest

from loadtests.arrivals import Arrivals, due_times, phase_of


def take(count: int, *args: object, **options: float) -> list[float]:
    return list(islice(due_times(*args, **options), count))  # type: ignore[arg-type]


def test_constant_arrivals_do_not_drift() -> None:
    """The millionth of 95 a second is due at 1,000,000/95 s, not at a sum of as many roundings."""
    assert take(1_000_001, Arrivals.CONSTANT, 95.0, Random(0))[-1] == 1_000_000 / 95.0


def test_a_phase_moves_all_of_them() -> None:
    """By its share of the gap."""
    assert take(3, Arrivals.CONSTANT, 10.0, Random(0), phase=0.5) == [0.05, 0.15, 0.25]


@pytest.mark.parametrize("users", [1, 2, 3, 7, 50])
def test_users_that_start_together_do_not_arrive_together(users: int) -> None:
    """Their arrivals lie between each other: no tenth of the gap holds much more than its share."""
    phases = sorted(phase_of(index) for index in range(users))
    in_tenths = [
        sum(1 for phase in phases if tenth <= phase * 10 < tenth + 1) for tenth in range(10)
    ]
    assert max(in_tenths) <= users / 10 + 2
    assert len(set(phases)) == users


def test_poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process() -> None:
    """Counts in unit intervals: mean and variance both the rate, within 4 standard errors."""
    times = take(200_000, Arrivals.POISSON, 20.0, Random(3))
    seconds = int(times[-1])
    counts = [0] * seconds
    for time in times:
        if time < seconds:
            counts[int(time)] += 1
    mean = sum(counts) / seconds
    variance = sum((count - mean) ** 2 for count in counts) / (seconds - 1)
    assert abs(mean - 20) < 4 * (20 / seconds) ** 0.5
    assert abs(variance - 20) < 4 * 20 * (2 / seconds) ** 0.5


def test_poisson_arrivals_come_from_the_passed_random_numbers() -> None:
    """The same seed, the same schedule; another, another."""
    first, second, other = (take(50, Arrivals.POISSON, 5.0, Random(seed)) for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    """At once, and not when the first request would be due."""
    with pytest.raises(ValueError, match="expected a finite number above 0, per second"):
        due_times(Arrivals.CONSTANT, rate, Random(0))
