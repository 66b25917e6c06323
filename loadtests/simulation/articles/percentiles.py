"""Percentiles of many runs, and where those of as many other runs may lie."""

from collections.abc import Sequence
from math import floor

from loadtests.simulation.ranks import percentile, rank_of

CONFIDENCE = 0.999
"""That a percentile of the same model is not called another: there are many in a table."""


def band(sample: Sequence[float]) -> tuple[float, float]:
    """The 1st and the 99th percentile."""
    return percentile(sample, 1), percentile(sample, 99)


def where_elsewhere(
    sample: Sequence[float], percent: int, of: int, confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """Between which of ours the same percentile of `of` other runs of the same model lies.

    How many of n values lie below the k-th of m others, all from one distribution, is beta-binomial
    with n, k and m + 1 - k, whatever the distribution is; where values are equal that errs on the
    safe side. None where not even our least or largest value bounds it: so few runs say little
    about their own extremes. A percentile between two ranks is taken for either.
    """
    from scipy.stats import betabinom  # noqa: PLC0415 - it takes most of a second to import

    n, rank = len(sample), rank_of(of, percent)
    tail = (1 - confidence) / 2
    next_rank = min(rank + 1, of)
    fewest = floor(betabinom.ppf(tail, n, rank, of + 1 - rank))
    most = floor(betabinom.ppf(1 - tail, n, next_rank, of + 1 - next_rank))
    ordered = sorted(sample)
    return (
        ordered[fewest - 1] if fewest > 0 else None,
        ordered[most] if most < n else None,
    )
