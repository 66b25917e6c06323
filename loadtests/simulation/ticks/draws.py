"""Draws for whole groups at once, of any size."""

import math

import numpy as np

from reports.reading.series import Counts

_MOST = 1_000_000_000
"""What numpy's hypergeometric draws are limited to: marbles of all colours."""
_NORMAL = 1000.0
"""From this variance on the normal distribution is as good."""


def some_of(rng: np.random.Generator, groups: Counts, taken: int) -> Counts:
    """How many of each group are among `taken` of all, any choice of them being as likely."""
    if int(groups.sum()) < _MOST:
        return rng.multivariate_hypergeometric(groups, taken, method="marginals")
    found = np.zeros_like(groups)
    left = int(groups.sum())
    for place, size in enumerate(groups.tolist()):
        left -= size
        found[place] = hypergeometric(rng, size, left, taken)
        taken -= int(found[place])
    return found


def hypergeometric(rng: np.random.Generator, good: int, bad: int, taken: int) -> int:
    """How many of `taken` out of ``good + bad`` are good.

    Beyond a thousand million, where numpy has no exact draw, it is the normal distribution's where
    the variance is large. Where it is not, one of the four numbers is small beside the sum, and of
    so many draws with and without replacement are alike: it is the binomial's.
    """
    total = good + bad
    if total < _MOST:
        return int(rng.hypergeometric(good, bad, taken)) if total else 0
    left = total - taken
    variance = taken * (good / total) * (bad / total) * (left / (total - 1))
    if variance > _NORMAL:
        drawn = round(rng.normal(taken * (good / total), math.sqrt(variance)))
    else:
        drawn = _by_the_smallest(rng, good, bad, taken)
    return min(max(drawn, taken - bad, 0), good, taken)


def _by_the_smallest(rng: np.random.Generator, good: int, bad: int, taken: int) -> int:
    total = good + bad
    left = total - taken
    smallest = min(good, bad, taken, left)
    if smallest == good:
        return int(rng.binomial(good, taken / total))
    if smallest == bad:
        return taken - int(rng.binomial(bad, taken / total))
    if smallest == taken:
        return int(rng.binomial(taken, good / total))
    return good - int(rng.binomial(left, good / total))


def among(rng: np.random.Generator, parts: Counts, groups: Counts, taken: Counts) -> Counts:
    """How many of those taken from each group are of its part."""
    found = np.where(parts == groups, taken, 0)
    for place in np.flatnonzero((parts > 0) & (parts < groups)):
        part, rest = int(parts[place]), int(groups[place] - parts[place])
        found[place] = hypergeometric(rng, part, rest, int(taken[place]))
    return found
