"""When are requests answered again? Goodput of one lane, by the time its requests were due.

In a service with a queue the offered load may fit in capacity and nobody be served all the same:
the workers are busy with what nobody waits for any more. Load alone does not see that.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reports.folding.windows import hold_ticks, window_ticks
from reports.measuring.settling import FALSE_ALARM, last_before_hold, moving_mean
from reports.reading.series import Bins, Counts, Floats

BACK_SHARE = 0.95


@dataclass(frozen=True)
class Goodput:
    """Whether goodput came back, in bins after the trigger's end.

    `back` is `None` when it did not while it was watched; `good_from` is then the bin after the
    last bad window, where that is before the end.
    """

    back: int | None
    good_from: int | None = None


def goodput_back(bins: Bins, before: slice, after: slice, tick_s: float) -> Goodput | None:
    """When the share of requests that succeed was back, and stayed; `None`: nothing to compare.

    Takes windows of 1 s of due time. Of the requests due in one, those still on their way when the
    record ends are left out. A window is bad when the share of the others that succeeded is below

        limit = min(0.95 · m, m - z·s)

    where m is the share before and s the deviation of disjoint windows there, so that failures as
    usual do not count; or when requests were due and none has ended. Shares, not rates: arrivals
    that vary are no loss. Goodput is back in the last bad window before the first 5 s without one,
    at the bin up to which the loss sums to its most.
    """
    width, hold = window_ticks(tick_s), hold_ticks(tick_s)
    ended = bins.succeeded + sum(bins.failed.values())
    usual = _usual(bins.succeeded[before], ended[before], width)
    if usual is None or not usual[0]:
        return None
    good, over, due = bins.succeeded[after], ended[after], bins.issued[after]
    windows = moving_mean(over, width)
    limit = _limit(*usual, windows.size)
    bad = moving_mean(good, width) < limit * windows - 1e-9
    bad |= (windows == 0) & (moving_mean(due, width) > 0)
    places = np.flatnonzero(bad)
    last = last_before_hold(places, windows.size, hold)
    if last is None:
        good_from = int(places[-1]) + width if places.size else 0
        return Goodput(None, good_from if good_from < good.size else None)
    if last < 0:
        return Goodput(0)
    lost = np.where(over > 0, limit * over - good, limit * due)[last : last + width]
    return Goodput(last + int(np.argmax(np.cumsum(lost))) + 1)


def _usual(succeeded: Counts, ended: Counts, width: int) -> tuple[float, float] | None:
    """Mean share of success before, and the deviation of whole windows of it."""
    if not ended.sum():
        return None
    whole = ended.size // width
    good = succeeded[ended.size - whole * width :].reshape(whole, width).sum(axis=1)
    over = ended[ended.size - whole * width :].reshape(whole, width).sum(axis=1)
    shares: Floats = good[over > 0] / over[over > 0]
    return float(succeeded.sum() / ended.sum()), float(
        shares.std(ddof=1)
    ) if shares.size > 1 else 0.0


def _limit(mean: float, deviation: float, windows: int) -> float:
    z = NormalDist().inv_cdf(1 - FALSE_ALARM / max(1, windows))
    return min(BACK_SHARE * mean, mean - z * deviation)
