"""Draws of groups of any size have the mean and the variance of what they stand for."""

import numpy as np
import pytest

from loadtests.simulation.ticks.draws import among, hypergeometric, some_of

LARGE = 10**10


@pytest.mark.parametrize(
    ("good", "bad", "taken"),
    [
        (40, 60, 30),
        (LARGE, 2 * LARGE, LARGE),
        (900, LARGE, LARGE // 2),
        (LARGE, 900, LARGE // 2),
        (LARGE, LARGE, 900),
        (LARGE, LARGE, 2 * LARGE - 900),
    ],
)
def test_mean_and_variance(good: int, bad: int, taken: int) -> None:
    """Of 2000 draws, each from the exact draw or from one of those that stand for it."""
    rng = np.random.default_rng(4)
    drawn = np.array([hypergeometric(rng, good, bad, taken) for _ in range(2000)], np.float64)
    total = good + bad
    mean = taken * (good / total)
    variance = mean * (bad / total) * ((total - taken) / (total - 1))
    assert drawn.mean() == pytest.approx(mean, abs=5 * (variance / 2000) ** 0.5)
    assert drawn.var() == pytest.approx(variance, rel=5 * (2 / 2000) ** 0.5 + 0.02)
    assert drawn.min() >= max(0, taken - bad)
    assert drawn.max() <= min(good, taken)


@pytest.mark.parametrize("size", [7, LARGE])
def test_some_of_all_are_as_many_as_are_taken(size: int) -> None:
    """And no more of a group than there are in it."""
    rng = np.random.default_rng(1)
    groups = np.array([size, 0, 3 * size, 5])
    for taken in (0, 1, size, int(groups.sum())):
        found = some_of(rng, groups, taken)
        assert found.sum() == taken
        assert ((found >= 0) & (found <= groups)).all()


def test_of_a_part_that_is_all_all_are_meant() -> None:
    """And none of one that is nothing."""
    rng = np.random.default_rng(1)
    groups, taken = np.array([10, 10, 10]), np.array([4, 4, 4])
    found = among(rng, np.array([10, 0, 5]), groups, taken)
    assert found[:2].tolist() == [4, 0]
    assert 0 <= found[2] <= 4
