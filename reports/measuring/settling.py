"""When is the storm over? First fit and settled, for the offered load of one lane.

Everything here is counted in ticks and in attempts per tick; the caller turns ticks into seconds.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from reports.folding.windows import hold_ticks, window_ticks
from reports.reading.series import Counts, Floats

FALSE_ALARM = 0.01
MAX_HIGH_SHARE = 0.05


@dataclass(frozen=True)
class Relapse:
    """A stretch of high windows after the storm had ended.

    `start` and `end` are ticks after the trigger's end, `size` the attempts above capacity in it.
    """

    start: int
    end: int
    size: float


@dataclass(frozen=True)
class Settling:
    """How a lane came back. `settled` is in ticks after the trigger's end; `None`: not recovered.

    `storm` says whether any window before the hold was high: without one, `settled` is first fit.

    A lane that did not recover may have been calm at the end, for less than the hold: `calm_from`
    is the tick after its last high window, where that is before the end.

    `noise` is m + z·s in attempts per tick; where it is above capacity, a storm below it is hidden.
    """

    settled: int | None
    relapses: tuple[Relapse, ...]
    noise: float
    calm_from: int | None = None
    storm: bool = False


def above(load: Counts | Floats, limit: Counts | Floats) -> "np.typing.NDArray[np.bool_]":
    """Where `load` exceeds `limit` by more than a float rounds: ``3 · 0.1`` fits in 0.3."""
    return np.asarray(load > limit + 1e-6 * np.maximum(1.0, np.abs(limit)))


def moving_mean(values: Counts | Floats, width: int) -> Floats:
    """Mean of every window of `width` ticks; place i is the window ``[i, i + width)``."""
    if values.size < width:
        return np.zeros(0)
    total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    return (total[width:] - total[:-width]) / width


def first_fit(offered: Counts, capacity: Floats) -> int | None:
    """Ticks from the trigger's end to the first tick whose load fits: ``min{t : o[t] ≤ c[t]}``.

    Both arrays begin at the trigger's end. `None` when no tick fits.
    """
    fits = np.flatnonzero(~above(offered, capacity))
    return int(fits[0]) if fits.size else None


def noise_level(before: Counts, width: int, windows: int) -> float:
    """The mean load of a window that ordinary noise does not exceed: ``m + z·s``.

    `before` is the load per tick before. m is its mean. s is the deviation of the mean of
    `width` ticks: the larger of ``sd(ticks) / √width``, which sees noise between ticks, and the
    deviation of disjoint windows, which sees slower noise. Over `windows` windows one false alarm
    has a chance of at most 1%: ``z = Φ⁻¹(1 - 0.01 / windows)`` (Bonferroni; windows that overlap
    make it safe, not exact). Minus infinity when there is less than one window to learn from.
    """
    whole = before.size // width
    if not whole or not windows:
        return -math.inf
    disjoint = before[before.size - whole * width :].reshape(whole, width).mean(axis=1)
    slow = float(disjoint.std(ddof=1)) if whole > 1 else 0.0
    fast = float(before.std()) / math.sqrt(width)
    z = NormalDist().inv_cdf(1 - FALSE_ALARM / windows)
    return float(before.mean()) + z * max(slow, fast)


def limit(capacity: Floats, noise: float, usual: float) -> Floats:
    """θ: what the load is held against, where its `noise` may reach above the `usual` capacity."""
    return capacity + max(0.0, noise - usual)


def often_above(offered: Counts, capacity: Floats, tick_s: float) -> bool:
    """Whether the load was above capacity already. One window in twenty may be.

    At 80% Poisson arrivals do that. Less than one window says nothing.
    """
    width = window_ticks(tick_s)
    high = above(moving_mean(offered, width), moving_mean(capacity, width))
    return bool(high.size) and float(high.mean()) > MAX_HIGH_SHARE


def settle(
    before: Counts, usual: float, offered: Counts, capacity: Floats, tick_s: float
) -> Settling:
    """Find when the load went under capacity and stayed there.

    `before` is the load before and `usual` the capacity then; `offered` and `capacity`
    begin at the trigger's end. A window is high when its mean load is above

        θ = its mean capacity + max(0, m + z·s - usual)

    which is ``max(capacity, m + z·s)`` once capacity is what it was: noise may reach above it as
    it did before, and load that fitted before is high while capacity is still lower. The storm ends
    in the last high window before the first 5 s in which none begins, at the tick up to which the
    load above θ sums to its most: the place where a step down in the load would be. It is not over
    before first fit: a tick or two may be above capacity without lifting the mean of a window.
    """
    width, hold = window_ticks(tick_s), hold_ticks(tick_s)
    load = moving_mean(offered, width)
    noise = noise_level(before, width, load.size)
    theta = limit(capacity, noise, usual)
    high = np.flatnonzero(above(load, moving_mean(theta, width)))
    last = last_before_hold(high, load.size, hold)
    if last is None:
        calm_from = int(high[-1]) + width if high.size else 0
        known = calm_from if calm_from < offered.size else None
        return Settling(None, (), noise, known, storm=bool(high.size))
    settled = first_fit(offered, capacity) or 0
    if last >= 0:
        excess = np.cumsum((offered - theta)[last : last + width])
        settled = max(settled, last + int(np.argmax(excess)) + 1)
    relapses = _relapses(high[high > last], offered, capacity, width)
    return Settling(settled, relapses, noise, storm=last >= 0)


def last_before_hold(high: Counts, windows: int, hold: int) -> int | None:
    """The last high window before `hold` windows in a row that are not; -1 when none is high.

    `None` when no such hold fits between the high windows or after them.
    """
    edges = np.concatenate(([-1], high, [windows]))
    holds = np.flatnonzero(np.diff(edges) > hold)
    return int(edges[holds[0]]) if holds.size else None


def _relapses(high: Counts, offered: Counts, capacity: Floats, width: int) -> tuple[Relapse, ...]:
    """Stretches of `high` windows, each without a tick between them that is in none."""
    if not high.size:
        return ()
    over = np.maximum(0.0, offered - capacity)
    stretches = np.split(high, np.flatnonzero(np.diff(high) > width) + 1)
    return tuple(
        Relapse(int(run[0]), int(run[-1]) + width, float(over[run[0] : run[-1] + width].sum()))
        for run in stretches
    )
