"""Requests are due when the schedule says, exactly, at any distance from the start."""

import math
from collections import Counter
from itertools import islice, pairwise, takewhile
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadtests.arrivals import Arrivals, Surge, due_times, expected_by, phase_of


def take(count: int, *args: object, **options: object) -> list[float]:
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


SURGES = st.lists(
    st.builds(
        lambda factor, begin_s, for_s: Surge(factor, begin_s, begin_s + for_s),
        st.floats(0, 10),
        st.floats(-5, 30),
        st.floats(0, 10),
    ),
    max_size=4,
)


def integral(rate: float, surges: list[Surge], begin_s: float, end_s: float) -> float:
    """∫ rate · factors, summed over the pieces between all edges."""
    edges = sorted({begin_s, end_s, *(s.begin_s for s in surges), *(s.end_s for s in surges)})
    total = 0.0
    for low, high in pairwise(edge for edge in edges if begin_s <= edge <= end_s):
        factors = [s.factor for s in surges if s.begin_s <= low < s.end_s]
        total += rate * math.prod(factors) * (high - low)
    return total


@settings(deadline=None)  # four surges of ten times each are many arrivals
@given(
    rate=st.floats(0.5, 50),
    phase=st.floats(0, 1, exclude_max=True),
    surges=SURGES,
    interval=st.tuples(st.floats(0, 40), st.floats(0, 40)).map(sorted),
)
def test_constant_arrivals_follow_the_rate_in_force_within_one(
    rate: float, phase: float, surges: list[Surge], interval: list[float]
) -> None:
    """In every interval, whatever surges overlap it: the count is the integral of the rate."""
    begin_s, end_s = interval
    times = due_times(Arrivals.CONSTANT, rate, Random(0), phase=phase, surges=surges)
    count = sum(1 for t in takewhile(lambda t: t < end_s, times) if t >= begin_s)
    assert abs(count - integral(rate, surges, begin_s, end_s)) <= 1 + 1e-6


def test_a_surge_keeps_constant_arrivals_even_on_both_sides_of_its_edges() -> None:
    """10/s, threefold from 0.5 s to 0.8 s: 100 ms apart, then 33 ms, then 100 ms again."""
    times = take(18, Arrivals.CONSTANT, 10.0, Random(0), surges=[Surge(3, 0.5, 0.8)])
    third = 0.1 / 3
    assert times[:6] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert times[5:15] == pytest.approx([0.5 + n * third for n in range(10)])
    assert times[14:] == pytest.approx([0.8, 0.9, 1.0, 1.1])


def test_surges_multiply_where_they_overlap() -> None:
    """2 × 3 in the second in which both are in force."""
    surges = [Surge(2, 1, 3), Surge(3, 2, 4)]
    times = take(200, Arrivals.CONSTANT, 10.0, Random(0), phase=0.5, surges=surges)
    assert Counter(int(t) for t in times if t < 5) == {0: 10, 1: 20, 2: 60, 3: 30, 4: 10}


def test_a_surge_of_nothing_is_a_gap() -> None:
    """And what was due in its first instant comes when it is over."""
    times = take(4, Arrivals.CONSTANT, 1.0, Random(0), surges=[Surge(0, 1.0, 5.5)])
    assert times == [0.0, 5.5, 6.5, 7.5]


def test_poisson_arrivals_under_a_surge_are_the_same_draws_on_a_faster_clock() -> None:
    """Before it nothing changes; in it gaps are a fifth; after it all come earlier by 4 · 2 s."""
    plain = take(4000, Arrivals.POISSON, 20.0, Random(3))
    surged = take(4000, Arrivals.POISSON, 20.0, Random(3), surges=[Surge(5, 10, 12)])

    def warped(t: float) -> float:
        return t if t < 10 else 10 + (t - 10) / 5 if t < 20 else t - 8

    assert surged == pytest.approx([warped(t) for t in plain], abs=1e-9)


def test_poisson_counts_in_a_surge_have_the_mean_and_the_variance_of_its_rate() -> None:
    """Over 2,000 seeds, within 4 standard errors of 30."""
    seeds = 2000
    counts = []
    for seed in range(seeds):
        times = due_times(Arrivals.POISSON, 10.0, Random(seed), surges=[Surge(3, 1, 2)])
        counts.append(sum(1 for t in takewhile(lambda t: t < 2, times) if t >= 1))
    mean = sum(counts) / seeds
    variance = sum((count - mean) ** 2 for count in counts) / (seeds - 1)
    assert abs(mean - 30) < 4 * (30 / seeds) ** 0.5
    assert abs(variance - 30) < 4 * 30 * (2 / seeds) ** 0.5


@pytest.mark.parametrize(
    ("surge", "says"),
    [
        ((-1.0, 0.0, 1.0), "factor is -1.0: expected a finite number from 0"),
        ((math.inf, 0.0, 1.0), "factor is inf"),
        ((2.0, 1.0, 0.0), "a surge from 1.0 s to 0.0 s is no interval"),
        ((2.0, 0.0, math.inf), "no interval"),
    ],
)
def test_a_surge_that_is_none_is_refused(surge: tuple[float, float, float], says: str) -> None:
    """Its times must be numbers, for the schedule has no end."""
    with pytest.raises(ValueError, match=says):
        Surge(*surge)


@pytest.mark.parametrize(
    "surges",
    [
        (),
        (Surge(3.0, 1.0, 2.5),),
        (Surge(0.0, 1.0, 2.0), Surge(2.0, 3.0, 4.0)),
        (Surge(2.0, -1.0, 3.0), Surge(0.5, 2.0, 5.0), Surge(0.0, 6.0, 7.0)),
    ],
)
@pytest.mark.parametrize("rate_per_s", [3.3, 95.0])
def test_what_is_expected_by_then_is_what_is_due_by_then(
    rate_per_s: float, surges: tuple[Surge, ...]
) -> None:
    """``⌈Λ(t) − phase⌉`` constant arrivals are due before t, under surges and in gaps too."""
    times_s = [step * 0.137 for step in range(60)]
    due = due_times(Arrivals.CONSTANT, rate_per_s, Random(0), phase=0.37, surges=surges)
    due_s = list(takewhile(lambda due_s: due_s < times_s[-1], due))
    for time_s, expected in zip(times_s, expected_by(times_s, rate_per_s, surges), strict=True):
        assert math.ceil(expected - 0.37) == sum(at_s < time_s for at_s in due_s)
