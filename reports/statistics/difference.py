"""How two sets of samples of one measure differ, and whether by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.statistics.bootstrap import FEWEST, RANK, SEED, resampled_medians
from reports.statistics.permutation import least_p, p_value, scores
from reports.statistics.summary import Summary, summarise
from reports.statistics.survival import Floats, arrays
from reports.statistics.value import Value


@dataclass(frozen=True, slots=True)
class Difference:
    """`new` against `base`.

    `shift` is the new median minus the base one, None where one of them is late. `interval` is its
    own at 95%: None for fewer than 6 samples on a side, and an end None where it hangs on a late
    median. `superiority` is the chance that a new sample is below one of the base, with half of
    that of a tie; a pair of which nothing is sure counts as a tie. `p_value` is how likely chance
    alone makes so large a difference, and `least_p` the smallest that these sizes can give.
    """

    base: Summary
    new: Summary
    shift: Value | None
    interval: tuple[Value | None, Value | None] | None
    superiority: float
    p_value: float
    least_p: float


def compare(base: Sequence[Value], new: Sequence[Value]) -> Difference:
    """Hold at least one sample of `new` against at least one of `base`."""
    before, after = summarise(base), summarise(new)
    pooled = scores([*new, *base])
    pairs = len(new) * len(base)
    return Difference(
        base=before,
        new=after,
        shift=_minus(after.median, before.median),
        interval=_interval(base, new),
        superiority=0.5 + int(pooled[: len(new)].sum()) / (2 * pairs),
        p_value=p_value(pooled, len(new)),
        least_p=least_p(len(base), len(new)),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p as it is when so many were asked at once, in the order given.

    The k-th smallest of m is multiplied by m - k + 1, is at most 1, and no less than the one before
    (S. Holm, "A simple sequentially rejective multiple test procedure", 1979). Rejecting those at
    most at a level is wrong of any of them with a chance of at most that level.
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


def _minus(new: Value, base: Value) -> Value | None:
    return None if new.late or base.late else Value(new.amount - base.amount)


def _interval(
    base: Sequence[Value], new: Sequence[Value]
) -> tuple[Value | None, Value | None] | None:
    """By the percentile bootstrap, each side drawn anew by itself.

    The low end is the 2.5% quantile of the new lower median minus the base upper one, the high end
    the 97.5% quantile of the new upper minus the base lower. A median that a resample does not get
    to is at least what was watched, and anything above it.
    """
    if min(len(base), len(new)) < FEWEST:
        return None
    base_lower, base_upper = _medians(base, SEED)
    new_lower, new_upper = _medians(new, SEED + 1)
    low = np.sort(new_lower - base_upper)[RANK - 1]
    high = np.sort(new_upper - base_lower)[-RANK]
    return _finite(float(low)), _finite(float(high))


def _medians(samples: Sequence[Value], seed: int) -> tuple[Floats, Floats]:
    """The least that the lower median of every resample can be, and the most the upper can be."""
    amounts, late = arrays(samples)
    lower, upper = resampled_medians(late.tobytes(), seed)
    return np.append(amounts, amounts[-1])[lower], np.append(amounts, np.inf)[upper]


def _finite(amount: float) -> Value | None:
    return Value(amount) if np.isfinite(amount) else None
