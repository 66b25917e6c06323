"""The distribution of samples of which some are late, by Kaplan and Meier.

With r samples not yet over before an amount t and d of them over at t, the share that is left is

    S(t) = Π (1 - d / r)    over all t' ≤ t at which something came about

(E. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", 1958). A sample
is late at t only after all that came about at t. With none late it is the plain distribution.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reports.statistics.value import Value

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ROUNDING = 1e-9
"""Shares that differ by less are the same: products of fractions are rounded."""


def arrays(samples: Sequence[Value]) -> tuple[Floats, Flags]:
    """The amounts and which are late, in order. Raises `ValueError` without any sample."""
    if not samples:
        raise ValueError("no samples: expected at least 1")
    ordered = sorted(samples)
    amounts = np.array([value.amount for value in ordered], dtype=np.float64)
    return amounts, np.array([value.late for value in ordered], dtype=np.bool_)


def left(times: NDArray[np.int64], late: Flags) -> Floats:
    """S after each of the ordered samples, along the last axis, each there so many `times`."""
    at_risk = np.cumsum(times[..., ::-1], axis=-1)[..., ::-1]
    over = np.where(late, 0, times)
    return np.asarray(np.cumprod(1 - over / np.maximum(at_risk, 1), axis=-1), dtype=np.float64)


def curve(samples: Sequence[Value]) -> tuple[tuple[float, float], ...]:
    """Each amount at which something came about, with the share that had by then: ``1 - S``."""
    amounts, late = arrays(samples)
    came = 1 - left(np.ones(amounts.size, dtype=np.int64), late)
    steps = {float(amounts[place]): float(came[place]) for place in np.flatnonzero(~late)}
    return tuple(steps.items())


def quantile(samples: Sequence[Value], share: float) -> Value:
    """The least amount by which at least `share` came about, by nearest rank: no interpolation.

    Late, with the longest that any was watched, when the curve does not get there.
    """
    if not 0 < share <= 1:
        raise ValueError(f"a quantile of {share}: expected more than 0 and at most 1")
    amounts, late = arrays(samples)
    there = left(np.ones(amounts.size, dtype=np.int64), late) <= 1 - share + ROUNDING
    return _first(amounts, there)


def median(samples: Sequence[Value]) -> Value:
    """Where half came about: ``S = ½``; between two samples, the middle between them.

    Late when the curve does not get below one half. If it stays at it to the end, the upper of
    the two samples is more than what was watched, and so the middle more than the one told.
    """
    amounts, late = arrays(samples)
    share = left(np.ones(amounts.size, dtype=np.int64), late)
    lower = _first(amounts, share <= 0.5 + ROUNDING)
    upper = _first(amounts, share < 0.5 - ROUNDING)
    return Value((lower.amount + upper.amount) / 2, upper.late)


def _first(amounts: Floats, there: Flags) -> Value:
    places = np.flatnonzero(there)
    return Value(float(amounts[places[0]])) if places.size else Value(float(amounts[-1]), late=True)
