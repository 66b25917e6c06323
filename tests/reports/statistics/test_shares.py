"""How sure a count is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from reports.statistics.shares import confidence_that_median_at_most, runs_needed, share_interval
from tests.reports.statistics.strategies import UNHURRIED

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@UNHURRIED
@given(COUNTS, st.sampled_from([0.9, 0.95, 0.99]))
def test_the_interval_of_a_share_is_scipys(counted: tuple[int, int], confidence: float) -> None:
    """Clopper and Pearson's, none and all among them."""
    count, n = counted
    theirs = binomtest(count, n).proportion_ci(confidence, method="exact")
    assert share_interval(count, n, confidence) == pytest.approx((theirs.low, theirs.high))


@UNHURRIED
@given(COUNTS)
def test_the_confidence_is_what_the_sign_test_leaves(counted: tuple[int, int]) -> None:
    """One minus SciPy's p."""
    within, n = counted
    p = binomtest(within, n, 0.5, alternative="greater").pvalue
    assert confidence_that_median_at_most(within, n) == pytest.approx(1 - p)


def test_by_hand() -> None:
    """All of five: 1 - 1/32. None of five is no confidence; half of them is less than half."""
    assert confidence_that_median_at_most(5, 5) == 0.96875
    assert confidence_that_median_at_most(9, 10) == 1 - 11 / 1024
    assert confidence_that_median_at_most(0, 5) == 0
    assert confidence_that_median_at_most(2, 4) == 5 / 16


@pytest.mark.parametrize(
    ("confidence", "n"), [(0.5, 1), (0.9, 4), (0.95, 5), (0.96875, 5), (0.97, 6), (0.99, 7)]
)
def test_so_many_runs_are_needed_at_least(confidence: float, n: int) -> None:
    """They reach it if all are within, and one fewer do not."""
    assert runs_needed(confidence) == n
    assert confidence_that_median_at_most(n, n) >= confidence


def test_what_cannot_be() -> None:
    """It raises, and says what is allowed."""
    with pytest.raises(ValueError, match="6 of 5: expected at least 1, and a count among them"):
        confidence_that_median_at_most(6, 5)
    with pytest.raises(ValueError, match="0 of 0"):
        share_interval(0, 0)
    with pytest.raises(ValueError, match=r"a confidence of 1\.0: expected more than 0"):
        runs_needed(1.0)
