"""The interval of a median holds it as often as it says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from reports.statistics.beta_product import least_left, most_left
from reports.statistics.bootstrap import RESAMPLES, median_interval, resampled_medians
from reports.statistics.survival import median
from reports.statistics.value import Value
from tests.reports.statistics.coverage import SIZES, Interval, Watch, coverage, sample
from tests.reports.statistics.strategies import UNHURRIED, VALUES

SETS = 1_000
UNEQUAL = Watch(0.4, unequal=True)


def least(sets: int) -> float:
    """Of an interval that holds 95% fewer are seen in one of 160 tries."""
    return 0.95 - 2.5 * math.sqrt(0.95 * 0.05 / sets)


LEAST = least(SETS)


@pytest.mark.parametrize("n", SIZES)
def test_it_holds_the_median(n: int) -> None:
    """A thousand sets of each size, odd and even."""
    assert coverage("lognormal", Watch(), n, SETS, median_interval) >= LEAST


def test_it_holds_the_median_where_all_are_watched_equally_long() -> None:
    """As often as with none late: those are in the same places."""
    held, of_all = (
        coverage("lognormal", watch, 7, 300, median_interval) for watch in (Watch(0.4), Watch())
    )
    assert held == of_all


@pytest.mark.parametrize(
    ("name", "watch"),
    [("40% at 0, else exponential", Watch(0.2)), ("Poisson, mean 3", Watch(0.2))],
)
def test_it_holds_the_median_of_samples_with_ties(name: str, watch: Watch) -> None:
    """As of what settles at once, and of counts."""
    assert coverage(name, watch, 7, SETS, median_interval) >= LEAST


@pytest.mark.parametrize(("n", "sets"), [(7, SETS), (10, SETS), (20, 300)])
def test_it_holds_the_median_where_each_is_watched_for_another_time(n: int, sets: int) -> None:
    """Two in five are late, most of them early."""
    assert coverage("exponential", UNEQUAL, n, sets, median_interval) >= least(sets)


def by_resampling_alone(percent: float) -> Interval:
    """The percentile bootstrap of one median, as it is often done, without a guard."""

    def interval(samples: list[Value]) -> tuple[Value, Value]:
        ordered = [*sorted(samples), Value(max(samples).amount, late=True)]
        late = np.array([value.late for value in ordered[:-1]])
        places, _ = resampled_medians(late.tobytes(), 1)
        low, high = np.percentile(places, [percent, 100 - percent], method="nearest")
        return ordered[int(low)], ordered[int(high)]

    return interval  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("interval", "watch", "n"),
    [
        (by_resampling_alone(10), Watch(), 10),
        (by_resampling_alone(10), UNEQUAL, 7),
        (by_resampling_alone(2.5), Watch(), 7),
    ],
)
def test_the_naive_ones_are_caught(interval: Interval, watch: Watch, n: int) -> None:
    """So that the tests above say something."""
    assert coverage("exponential", watch, n, SETS, interval) < LEAST


@pytest.mark.parametrize("n", [*range(6, 61), 100, 151])
def test_with_none_late_it_is_at_least_that_of_the_sign_test(n: int) -> None:
    """And hardly wider: one rank at most."""
    found = median_interval([Value(rank) for rank in range(1, n + 1)])
    low = int(binom.ppf(0.025, n, 0.5))
    assert found is not None
    assert low - 1 <= found[0].amount <= low
    assert n + 1 - low <= found[1].amount <= n + 2 - low


@UNHURRIED
@given(st.lists(VALUES, min_size=6, max_size=12))
def test_the_median_lies_in_it(samples: list[Value]) -> None:
    """Whatever is late."""
    low, high = median_interval(samples) or pytest.fail("none")
    assert low <= median(samples) <= high


def test_the_same_samples_have_the_same_interval() -> None:
    """In any order."""
    samples = sample(
        np.random.default_rng(3),
        12,
        lambda draw, n: draw.exponential(1, n),
        lambda draw, n: draw.exponential(2, n),
    )
    assert median_interval(samples) == median_interval(samples[::-1])


def test_fewer_than_six_have_none() -> None:
    """Five would hold the median in 93.75% of all cases."""
    assert median_interval([Value(rank) for rank in range(5)]) is None


def test_an_end_is_late_where_nothing_came_about() -> None:
    """All late: the median is later than the time of one of them."""
    late = [Value(rank, late=True) for rank in range(1, 11)]
    assert median_interval(late) == (Value(5, late=True), Value(10, late=True))
    came = [Value(rank) for rank in range(1, 7)]
    assert median_interval([*came, *[Value(9, late=True)] * 4]) == (
        Value(2),
        Value(9, late=True),
    )


def test_a_resamples_median_is_as_likely_as_can_be_counted() -> None:
    """The lower of ten is below place k if five of ten draws are: binomial."""
    lower, upper = resampled_medians(bytes(10), 5)
    for place in range(10):
        error = 4 * math.sqrt(0.25 / RESAMPLES)
        below = binom.sf(4, 10, (place + 1) / 10)
        assert np.mean(lower <= place) == pytest.approx(below, abs=error)
        assert np.mean(upper <= place) == pytest.approx(
            binom.sf(5, 10, (place + 1) / 10), abs=error
        )


@pytest.mark.parametrize("n", [1, 2, 6, 7, 50])
def test_with_none_late_the_beta_product_is_binomial(n: int) -> None:
    """Clopper and Pearson's."""
    none, ranks = np.zeros(n, dtype=bool), np.arange(1, n + 1)
    assert most_left(none) == pytest.approx(binom.cdf(ranks - 1, n, 0.5))
    assert least_left(none) == pytest.approx(binom.cdf(ranks, n, 0.5))


def test_with_some_late_it_is_close_to_the_product_that_it_stands_for() -> None:
    """Drawn 100,000 times."""
    late = np.random.default_rng(4).random(15) < 0.3
    draw = np.random.default_rng(5)
    factors = [
        np.ones(100_000) if gone else draw.beta(15 - place, 1, 100_000)
        for place, gone in enumerate(late)
    ]
    drawn = np.mean(np.cumprod(factors, axis=0) <= 0.5, axis=1)
    assert most_left(late) == pytest.approx(drawn, abs=0.01)
