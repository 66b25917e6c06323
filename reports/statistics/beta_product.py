"""How sure half of all is over, or is not, just after each sample: the beta product.

Just after a sample is over that was one of r still at risk, the share left is smaller by a factor
that is distributed as Beta(r, 1). The product of these is taken for a beta with its own mean and
variance, which it is where none was late before (M. Fay, E. Brittain and M. Proschan, "Pointwise
confidence intervals for a survival distribution with small samples or heavy censoring", 2013).
"""

import numpy as np

from reports.statistics.survival import Flags, Floats


def least_left(late: Flags) -> Floats:
    """The chance that at most half is left if one more, of those still at risk, is over at once.

    `late` says which of the ordered samples are. Where none is, after the k-th of n: the chance
    that at most k of n are below the median, ``P(B ≤ k)``.
    """
    after = np.arange(late.size - 1, -1, -1.0)
    mean, square = _moments(late)
    return _at_most_half(mean * after / (after + 1), square * after / (after + 2))


def most_left(late: Flags) -> Floats:
    """The chance that at most half is left if no more are over. Where none is late ``P(B < k)``."""
    return _at_most_half(*_moments(late))


def _moments(late: Flags) -> tuple[Floats, Floats]:
    """Mean and mean square of the share left after each: those of Beta(r, 1), multiplied."""
    at_risk = np.arange(late.size, 0, -1.0)
    mean = np.where(late, 1.0, at_risk / (at_risk + 1))
    square = np.where(late, 1.0, at_risk / (at_risk + 2))
    return np.multiply.accumulate(mean), np.multiply.accumulate(square)


def _at_most_half(mean: Floats, square: Floats) -> Floats:
    from scipy.special import betainc  # noqa: PLC0415 - slow to import

    variance = square - mean**2
    sure = variance <= 0  # nothing is over yet, or nothing is left
    total = (mean - square) / np.where(sure, 1.0, variance)
    a, b = np.where(sure, 1.0, mean * total), np.where(sure, 1.0, (1 - mean) * total)
    return np.asarray(np.where(sure, mean <= 0.5, betainc(a, b, 0.5)), dtype=np.float64)
