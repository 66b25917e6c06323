"""How sure one can be, after each run anew, that more or fewer than half of all runs recover. Pure.

One looks again and again and stops when one is sure, so a test made for a fixed number of runs
would be wrong far too often. The ones here hold however often one looks and whenever one stops:

Of two explanations, that each run recovers with the probability 1/2 and that it does so with p, the
ratio of their likelihoods after n runs of which k recovered is p^k (1−p)^(n−k) ÷ 2^−n. Averaged
over all p from 1/2 to 1 it is

    E(k, n) = Σ C(n+1, j), j = 0 … k, ÷ ((n+1) · C(n, k)).

Where at most half of all runs recover, E is a nonnegative supermartingale that begins at 1, so that
it *ever* reaches 1/ε has a probability of at most ε (J. Ville, 1939). This is the mixture of
H. Robbins, "Statistical methods related to the law of the iterated logarithm", Ann. Math. Stat. 41
(1970), 1397–1409; see A. Ramdas et al., "Game-theoretic statistics and safe anytime-valid
inference", Statistical Science 38 (2023), 576–601. It is exact, for whole numbers are all it needs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds between which a share lies."""

    low: float
    high: float


@lru_cache(maxsize=4096)
def evidence(k: int, n: int) -> Fraction:
    """E(k, n): how strongly k of n speak against "at most half of all"."""
    total = sum(math.comb(n + 1, j) for j in range(k + 1))
    return Fraction(total, (n + 1) * math.comb(n, k))


def least_runs(needed: Fraction) -> int:
    """How many runs, all alike, are as much evidence as is `needed`."""
    runs = 1
    while evidence(runs, runs) < needed:
        runs += 1
    return runs


def interval(k: int, n: int, error: float) -> Interval:
    """The shares that k of n do not speak against: all of them with the probability 1 − `error`.

    As above, whenever one stops, with the average over all p from 0 to 1: every share q with
    1 ÷ ((n+1) · C(n, k) · q^k (1−q)^(n−k)) < 1/`error`.
    """
    if not n:
        return Interval(0.0, 1.0)
    least = math.log(error) - math.log(n + 1) - math.log(math.comb(n, k))

    def spoken_against(share: float) -> bool:
        return k * math.log(share) + (n - k) * math.log1p(-share) <= least

    return Interval(
        _edge(spoken_against, 0.0, k / n) if k else 0.0,
        _edge(spoken_against, 1.0, k / n) if k < n else 1.0,
    )


def _edge(outside: Callable[[float], bool], out: float, within: float) -> float:
    """Where `outside` turns, between a share of which it is true and one of which it is not."""
    for _ in range(50):
        middle = (out + within) / 2
        if outside(middle):
            out = middle
        else:
            within = middle
    return out
