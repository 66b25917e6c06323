"""What the order of many values says, without a shape that it would have to have."""

import math

import pytest

from loadtests.simulation.ranks import median_ranks, percentile


@pytest.mark.parametrize(
    ("percent", "is_"),
    [(1, 1), (5, 1), (10, 1), (11, 2), (50, 5), (51, 6), (95, 10), (100, 10)],
)
def test_a_percentile_is_one_of_the_values(percent: int, is_: float) -> None:
    """The smallest that at least this share of them does not exceed."""
    assert percentile(range(1, 11), percent) == is_


def test_what_never_came_is_no_number_that_could_be_averaged() -> None:
    """Half of the runs came back within 2, and of the other half nobody knows."""
    assert percentile([1.0, 2.0, math.inf, math.inf], 50) == 2.0
    assert percentile([1.0, math.inf, math.inf], 50) == math.inf


def test_the_ranks_around_the_median_are_those_of_the_tables() -> None:
    """Order statistics for 95%: ranks 2 and 9 of ten, 40 and 61 of a hundred."""
    assert median_ranks(10) == (2, 9)
    assert median_ranks(100) == (40, 61)
    assert median_ranks(300) == (133, 168)


def test_the_ranks_cover_the_median_with_95_percent_and_no_wider() -> None:
    """By adding up the binomial coefficients themselves, for many numbers of runs."""
    for runs in range(6, 60):
        ranks = median_ranks(runs)
        assert ranks is not None
        low, high = ranks
        assert low + high == runs + 1
        below, next_below = (
            sum(math.comb(runs, count) for count in range(end)) / 2**runs for end in (low, low + 1)
        )
        assert 2 * below <= 0.05 < 2 * next_below


def test_five_runs_say_nothing_of_the_median() -> None:
    """All five may lie on one side of it: 2 · 2⁻⁵ is more than 5%."""
    assert median_ranks(5) is None
    assert median_ranks(1) is None
