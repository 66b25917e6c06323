"""Intervals hold the true value as often as they say."""

import math
from random import Random

import pytest

from loadtests.calibration.statistics import (
    difference_interval,
    mean_interval,
    student_t95,
    two_stage_interval,
)


@pytest.mark.parametrize(("degrees", "point"), [(1, 12.706), (4, 2.776), (4.9, 2.776), (99, 2.042)])
def test_students_points(degrees: float, point: float) -> None:
    """Between whole degrees, and beyond the table, the larger one: never too sure."""
    assert student_t95(degrees) == point


def test_students_points_are_those_of_the_distribution() -> None:
    """The density of t, integrated up to each point, leaves 5% outside of it."""
    for degrees in range(1, 31):
        scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2))
        scale /= math.sqrt(degrees * math.pi)
        point, slices = student_t95(degrees), 4000
        width = 2 * point / slices
        inside = sum(
            (1 + (-point + (k + 0.5) * width) ** 2 / degrees) ** (-(degrees + 1) / 2)
            for k in range(slices)
        )
        assert inside * width * scale == pytest.approx(0.95, abs=2e-4)


def test_a_mean_of_five() -> None:
    """By hand: mean 3, deviation √2.5, t 2.776."""
    interval = mean_interval([1, 2, 3, 4, 5])
    assert interval.mean == 3
    assert interval.half_width == pytest.approx(2.776 * math.sqrt(2.5 / 5))


def test_equal_values_are_no_finer_than_what_one_can_tell() -> None:
    """A count of requests in a window is a whole number."""
    assert mean_interval([200.0] * 5, 0.25).low == 199.75


def test_in_two_stages_the_first_values_tell_the_noise() -> None:
    """By hand: the first three deviate by 1, and five make the mean; the last are not asked."""
    interval = two_stage_interval([1, 2, 3, 50, 44], 3)
    assert interval.mean == 20
    assert interval.half_width == pytest.approx(4.303 * 1 / math.sqrt(5))


def test_one_value_tells_nothing_of_its_noise() -> None:
    """It raises, and names how many are needed."""
    with pytest.raises(ValueError, match="1 values: expected at least 2"):
        mean_interval([1.0])
    with pytest.raises(ValueError, match="at least 1"):
        student_t95(0.5)


def test_the_interval_of_a_difference_is_welchs() -> None:
    """By hand, for samples of unlike size and spread."""
    a, b = [10.0, 12.0, 14.0], [1.0, 2.0, 3.0, 4.0, 5.0]
    va, vb = 4 / 3, 2.5 / 5
    degrees = (va + vb) ** 2 / (va**2 / 2 + vb**2 / 4)
    interval = difference_interval(a, b)
    assert interval.mean == 9
    assert interval.half_width == pytest.approx(student_t95(degrees) * math.sqrt(va + vb))
    assert difference_interval([2, 2], [1, 1]).half_width == 0


def coverage(two_stages: bool) -> float:
    """How often an interval holds the true mean, over 2,000 samples of 3 to 10 values.

    They grow as long as they are wide; in two stages the first three say how far.
    """
    held = 0
    for seed in range(2000):
        rng = Random(seed)
        values = [rng.gauss(100, 5) for _ in range(3)]
        if two_stages:
            wanted = 3 * (mean_interval(values).half_width / 4) ** 2
            values += [rng.gauss(100, 5) for _ in range(math.ceil(min(wanted, 10)) - 3)]
            interval = two_stage_interval(values, 3)
        else:
            while len(values) < 10 and mean_interval(values).half_width > 4:
                values.append(rng.gauss(100, 5))
            interval = mean_interval(values)
        held += interval.low <= 100 <= interval.high
    return held / 2000


def test_a_sample_that_grows_while_it_is_wide_keeps_its_confidence_in_two_stages() -> None:
    """95% give or take three deviations; one that stops when it happens to look narrow does not."""
    assert 0.935 <= coverage(two_stages=True) <= 0.965
    assert coverage(two_stages=False) < 0.92
