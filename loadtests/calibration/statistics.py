"""What repeated measurements say, with Student's t at 95%. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

CONFIDENCE = 0.95
# Two-sided 95% points of Student's t for 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook of
# Statistical Methods, 1.3.6.7.2).
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds that its true value lies between with 95% confidence."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between the bounds."""
        return (self.high - self.low) / 2


def student_t95(degrees: float) -> float:
    """The two-sided 95% point; between whole degrees that of the lower one, which is larger.

    Raises `ValueError` below one degree of freedom.
    """
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom: expected at least 1")
    return _T95[min(int(degrees), len(_T95)) - 1]


def mean_interval(values: Sequence[float], resolution: float = 0.0) -> Interval:
    """``mean ± t · s / √n``, and never narrower than ±`resolution`: what a single one can tell.

    Raises `ValueError` for fewer than two values: one says nothing of its own noise.
    """
    return two_stage_interval(values, len(values), resolution)


def two_stage_interval(values: Sequence[float], first: int, resolution: float = 0.0) -> Interval:
    """As `mean_interval`, with the deviation of the `first` values alone: ``mean ± t · s₁ / √n``.

    For when these decided how many more there are. Taken from all of them the deviation would be
    too small: they would have ended as soon as it happened to be (C. Stein, "A two-sample test for
    a linear hypothesis whose power is independent of the variance", 1945).
    """
    if first < 2:
        raise ValueError(f"{first} values: expected at least 2")
    mean = fmean(values)
    half = student_t95(first - 1) * math.sqrt(variance(values[:first]) / len(values))
    half = max(half, resolution)
    return Interval(mean, mean - half, mean + half)


def difference_interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """The mean of `a` minus that of `b`: Welch's interval, which needs no equal variances."""
    va, vb = variance(a) / len(a), variance(b) / len(b)
    difference = fmean(a) - fmean(b)
    if va + vb == 0:
        return Interval(difference, difference, difference)
    degrees = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = student_t95(max(degrees, 1.0)) * math.sqrt(va + vb)
    return Interval(difference, difference - half, difference + half)
