"""What the order of many values says: percentiles, and how sure the median of them is.

No shape is assumed, and infinity stands for what did not come about. So a percentile is one of the
values, and is not interpolated. The median is that of `statistics`: between two values in the
middle their mean, which is infinite where one of them is.
"""

from collections.abc import Sequence

CONFIDENCE = 0.95


def percentile(sample: Sequence[float], percent: int) -> float:
    """The least value that this percentage of the sample does not exceed: ``x(⌈n·p/100⌉)``."""
    return sorted(sample)[rank_of(len(sample), percent) - 1]


def rank_of(size: int, percent: int) -> int:
    """The nearest rank of a percentile, from 1, without the rounding of a float."""
    return max(1, -(-percent * size // 100))


def median_ranks(runs: int) -> tuple[int, int] | None:
    """The ranks, from 1, between whose values the median lies with 95% confidence.

    How many of n values are below the median is binomial with a chance of ½, whatever they are
    distributed like. So ``x(l) … x(n + 1 - l)`` hold it with a chance of at least 95% where l is
    the largest with ``P(B < l) ≤ 2.5%``. None for fewer than six: not even all of them do.
    """
    # Here and not above: it takes most of a second to import.
    from scipy.stats import binom  # noqa: PLC0415

    low = int(binom.ppf((1 - CONFIDENCE) / 2, runs, 0.5))
    return (low, runs + 1 - low) if low else None
