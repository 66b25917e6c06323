"""The curve of Kaplan and Meier, and what is read off it."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import CensoredData, ecdf

from reports.statistics.survival import arrays, curve, left, median, quantile
from reports.statistics.value import Value
from tests.reports.statistics.remission import TREATED
from tests.reports.statistics.strategies import CAME, UNHURRIED, VALUES


def test_a_textbook_curve() -> None:
    """Freireich's 21 treated patients: S is 0.857 after 6 weeks, 0.448 after 23, the median."""
    shares = {at: 1 - came for at, came in curve(TREATED)}
    expected = {6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448}
    assert shares == pytest.approx(expected, abs=5e-4)
    assert median(TREATED) == Value(23)
    assert quantile(TREATED, 0.25) == Value(13)
    assert quantile(TREATED, 0.95) == Value(35, late=True)


@UNHURRIED
@given(st.lists(VALUES, min_size=1, max_size=20))
def test_the_curve_is_scipys(samples: list[Value]) -> None:
    """Unequal times, ties, all late."""
    late = [value.late for value in samples]
    data = CensoredData.right_censored([value.amount for value in samples], late)
    theirs = ecdf(data).cdf
    for at, came in curve(samples):
        assert came == pytest.approx(float(theirs.evaluate(at)))
    assert len(curve(samples)) == len({value.amount for value in samples if not value.late})


@UNHURRIED
@given(st.lists(st.tuples(VALUES, st.integers(0, 3)), min_size=1, max_size=8))
def test_samples_may_be_there_several_times_or_not_at_all(
    counted: list[tuple[Value, int]],
) -> None:
    """As in a resample: the same curve as of the list written out."""
    counted.sort(key=lambda pair: pair[0])
    written = [value for value, times in counted for _ in range(times)]
    if not written:
        return
    _, late = arrays([value for value, _ in counted])
    share = left(np.array([times for _, times in counted]), late)
    expected = dict(curve(written))
    for place, (value, times) in enumerate(counted):
        if times and not value.late and value != counted[min(place + 1, len(counted) - 1)][0]:
            assert 1 - share[place] == pytest.approx(expected[value.amount])


@UNHURRIED
@given(st.lists(CAME, min_size=1, max_size=40), st.integers(1, 100))
def test_with_none_late_it_is_plain_order(samples: list[Value], percent: int) -> None:
    """The median of `statistics`, and nearest ranks."""
    amounts = sorted(value.amount for value in samples)
    assert median(samples) == Value(statistics.median(amounts))
    assert quantile(samples, percent / 100) == Value(amounts[rank(len(amounts), percent) - 1])


def rank(n: int, percent: int) -> int:
    """The nearest one, from 1, in whole numbers."""
    return max(1, -(-percent * n // 100))


@pytest.mark.parametrize("percent", [5, 95])
def test_a_rank_is_not_missed_by_what_floats_round(percent: int) -> None:
    """Of 20 the nineteenth is the 95th percentile."""
    for n in range(1, 121):
        samples = [Value(one) for one in range(1, n + 1)]
        assert quantile(samples, percent / 100) == Value(rank(n, percent))


@UNHURRIED
@given(st.lists(CAME, min_size=1, max_size=15), st.integers(0, 15))
def test_what_is_late_at_the_end_is_larger_than_all(samples: list[Value], late: int) -> None:
    """All watched equally long: the median is that of `statistics` with infinities in it."""
    found = median([*samples, *[Value(9, late=True)] * late])
    amounts = [value.amount for value in samples] + [math.inf] * late
    expected = statistics.median(amounts)
    assert (found.amount == expected) if math.isfinite(expected) else found.late


def test_a_median_that_is_not_reached_is_later_than_what_was_watched() -> None:
    """And one in the middle of a known and an unknown one is more than the middle up to there."""
    late = [Value(4, late=True), Value(5, late=True)]
    assert median([Value(1), *late]) == Value(5, late=True)
    assert median(late) == Value(5, late=True)
    assert median([Value(1), Value(2), *late]) == Value(3.5, late=True)


def test_late_ones_between_move_the_median_up() -> None:
    """By hand: S is 3/4 after 1, then 3/4 · 1/2 after 3, with one gone at 2."""
    assert median([Value(1), Value(2, late=True), Value(3), Value(4)]) == Value(3)
    assert curve([Value(1), Value(2, late=True), Value(3), Value(4)]) == (
        (1, 0.25), (3, 0.625), (4, 1.0),
    )  # fmt: skip


def test_nothing_has_no_median() -> None:
    """It raises, and says what is allowed."""
    with pytest.raises(ValueError, match="expected at least 1"):
        median([])
    with pytest.raises(ValueError, match="more than 0 and at most 1"):
        quantile([Value(1)], 0)
