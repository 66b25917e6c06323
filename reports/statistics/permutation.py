"""Whether two sets of samples differ by more than chance: a permutation test on Gehan's scores."""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from reports.statistics.value import Value

PERMUTATIONS = 20_000
SEED = 7
_EXACT = 50_000_000
"""Up to so many additions the test counts every way to divide the samples."""
_BLOCK = 2_000_000

Scores = NDArray[np.int64]


def scores(samples: Sequence[Value]) -> Scores:
    """Of each sample: how many of all it is surely below, minus how many it is surely above.

    One that came about is surely below those that did later, or had not by then. Of two late ones
    nothing is sure (E. Gehan, "A generalized Wilcoxon test for comparing arbitrarily
    singly-censored samples", 1965). With none late their sums are those of Mann and Whitney.
    """
    amounts = np.array([value.amount for value in samples], dtype=np.float64)
    late = np.array([value.late for value in samples], dtype=np.bool_)
    came, waited = np.sort(amounts[~late]), np.sort(amounts[late])
    below = came.size - np.searchsorted(came, amounts, "right")
    below += waited.size - np.searchsorted(waited, amounts, "left")
    earlier = np.searchsorted(came, amounts, "left")
    earlier_or_then = np.searchsorted(came, amounts, "right")
    found = np.where(late, -earlier_or_then, below - earlier)
    return np.asarray(found, dtype=np.int64)


def p_value(pooled: Scores, size: int) -> float:
    """The chance of a sum at least as far from its mean, 0, as that of the first `size` scores.

    Among all ways to choose so many of them; where those are too many to count, among
    `PERMUTATIONS` drawn with a fixed seed and the one seen: ``(k + 1) / (PERMUTATIONS + 1)``.
    """
    seen = abs(int(pooled[:size].sum()))
    chosen = min(size, pooled.size - size)  # the others sum to the same, with the other sign
    reach = int(np.sort(np.abs(pooled))[pooled.size - chosen :].sum())
    if pooled.size * chosen * (2 * reach + 1) <= _EXACT:
        return _counted(pooled, chosen, reach, seen)
    return _drawn(pooled, chosen, seen)


def least_p(base: int, new: int) -> float:
    """The smallest p that so many samples can give, when all on one side are below all others.

    One of all ways to divide them is as far from the mean; of equal sizes, the reverse of it too.
    (Of unequal sizes as well, unless samples of one side are equal to each other.)
    """
    return (2 if base == new else 1) / comb(base + new, new)


def _counted(pooled: Scores, chosen: int, reach: int, seen: int) -> float:
    """By the shift algorithm: in how many ways k of the scores so far sum to s.

    B. Streitberg and J. Röhmel, "Exact distributions for permutation and rank tests", 1986.
    """
    ways = np.zeros((chosen + 1, 2 * reach + 1))
    ways[0, reach] = 1
    for score in pooled.tolist():
        with_it = np.zeros_like(ways[:-1])
        width = ways.shape[1] - abs(score)
        to, of = max(0, score), max(0, -score)
        with_it[:, to : to + width] = ways[:-1, of : of + width]
        ways[1:] += with_it
    sums = np.abs(np.arange(-reach, reach + 1))
    return float(ways[-1][sums >= seen].sum() / ways[-1].sum())


def _drawn(pooled: Scores, chosen: int, seen: int) -> float:
    draw = np.random.default_rng(SEED)
    rows, extreme = max(1, _BLOCK // pooled.size), 0
    for begin in range(0, PERMUTATIONS, rows):
        block = np.tile(pooled, (min(rows, PERMUTATIONS - begin), 1))
        sums = draw.permuted(block, axis=1)[:, :chosen].sum(axis=1)
        extreme += int((np.abs(sums) >= seen).sum())
    return (extreme + 1) / (PERMUTATIONS + 1)
