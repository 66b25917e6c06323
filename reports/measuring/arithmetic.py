"""Everything that is measured of one lane besides when it settled. Pure: arrays in, numbers out.

Counts are attempts or requests; `tick_s` turns counts per tick into rates per second.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from aftershock_units import parse_duration_s
from reports.folding.histogram import quantile_bucket
from reports.folding.windows import hold_ticks, window_ticks
from reports.measuring.settling import moving_mean
from reports.reading.series import Bins, Counts, Floats, LaneSeries, RunRecord
from reports.record import bucket_upper

TIMEOUT_S = 5.0
"""How long an attempt may take where the scenario does not say it."""
STRIKES = frozenset({"error", "reset", "cut"})
DELAYS = frozenset({"latency", "hang"})
P95_OF = 20
"""Of fewer requests the p95 is the slowest."""


def storm_attempts(offered: Counts, capacity: Floats) -> float:
    """Attempts above capacity: ``Σ max(0, o[t] - c[t])`` over the ticks given."""
    return float(np.maximum(0.0, offered - capacity).sum())


def peak_per_s(offered: Counts, tick_s: float) -> float:
    """The highest offered load of any tick, in attempts per second."""
    return float(offered.max(initial=0)) / tick_s


def amplification(attempts: int, requests: int) -> float | None:
    """Attempts ÷ requests; `None` without requests."""
    return attempts / requests if requests else None


def worst_amplification(offered: Counts, first_attempts: Counts, tick_s: float) -> float | None:
    """The largest offered ÷ first attempts of any 1 s window; `None` without first attempts."""
    width = window_ticks(tick_s)
    first = moving_mean(first_attempts, width)
    load = moving_mean(offered, width)
    known = first > 0
    return float((load[known] / first[known]).max()) if known.any() else None


def doomed(lane: LaneSeries, spans: Iterable[tuple[str, slice]]) -> int:
    """First attempts that no client could have had answered, in ticks that a type disturbed.

    What did not fit: ``Σ max(0, first attempts - capacity)`` over the ticks. Of a type that is a
    fault of the service's answers the first attempts that it struck: failed (error, reset, cut),
    or abandoned because no answer came in time (latency, hang). A tick counts once for each.
    """
    struck, delayed, full = (np.zeros(lane.capacity.size, np.bool_) for _ in range(3))
    for kind, ticks in spans:
        (struck if kind in STRIKES else delayed if kind in DELAYS else full)[ticks] = True
    return (
        int(lane.first_failed[struck].sum())
        + int(lane.first_abandoned[delayed].sum())
        + round(storm_attempts(lane.first_attempts[full], lane.capacity[full]))
    )


def work_lost(completed: Counts, shed: Counts, abandoned: Counts) -> float | None:
    """The share of the work that was for clients that had gone; `None` when there was no work.

    ``abandoned ÷ (completed - shed + abandoned)``: what was shed was refused without any work.
    """
    gone = int(abandoned.sum())
    work = int(completed.sum()) - int(shed.sum()) + gone
    return gone / work if work else None


def share_of(succeeded: int, due: int) -> float:
    """Succeeded ÷ due; 0 when nothing was due."""
    return succeeded / due if due else 0.0


def goodput_lost(share_before: float, due: int, succeeded: int) -> float:
    """Requests that would have succeeded else: ``max(0, share before · due - succeeded)``.

    By the share, because a spike brings more requests than there were before, and a pause fewer.
    """
    return max(0.0, share_before * due - succeeded)


def p95_ms(latency: Counts, bins: slice) -> float | None:
    """95th percentile in ms of the successful requests due in `bins`; `None` without any."""
    first, last = np.searchsorted(latency[:, 0], (bins.start, bins.stop))
    rows = latency[first:last]
    bucket = quantile_bucket(rows[:, 1], rows[:, 2], 0.95)
    return None if bucket is None else bucket_upper(bucket)


def latency_limit_ms(baseline_ms: float) -> float:
    """Above this, latency is not back: half as much again, and by at least 10 ms."""
    return max(1.5 * baseline_ms, baseline_ms + 10.0)


def latency_back_s(bins: Bins, after: slice, limit_ms: float, tick_s: float) -> int | None:
    """Whole seconds from the trigger's end until latency is back at its baseline and stays there.

    A second is slow when the p95 of the requests due in it is above `limit_ms`, or when requests
    were due and none succeeded. Latency is back after the last slow second before the first five
    that are not. 0 when none is slow; `None` when no such five fit in `after`, the bins observed.

    Where fewer than 20 requests are due in a second the p95 is that of it and the next ones, as
    many as have 20: of fewer it would be the slowest of all, and a single one no trend.
    """
    width = window_ticks(tick_s)
    hold = max(1, hold_ticks(tick_s) // width)
    starts = range(after.start, after.stop - width + 1, width)
    due = np.cumsum([int(bins.issued[start : start + width].sum()) for start in starts])
    back = 0
    for number, start in enumerate(starts):
        before = int(due[number - 1]) if number else 0
        last = int(np.searchsorted(due, before + P95_OF))
        pooled = slice(start, min(start + (last - number + 1) * width, after.stop))
        if _is_slow(bins, slice(start, start + width), pooled, limit_ms):
            back = number + 1
        elif number + 1 - back >= hold:
            return back
    return None


def _is_slow(bins: Bins, second: slice, pooled: slice, limit_ms: float) -> bool:
    if p95_ms(bins.latency, second) is None:
        return bool(bins.issued[second].sum())
    found = p95_ms(bins.latency, pooled)
    return found is not None and found > limit_ms


def timeout_s(record: RunRecord) -> float:
    """How long an attempt may take, by the scenario: what was due since may be on its way."""
    load = record.header.scenario.get("load")
    found = load.get("timeout") if isinstance(load, Mapping) else None
    try:
        return parse_duration_s(found) if isinstance(found, str) else TIMEOUT_S
    except ValueError:
        return TIMEOUT_S
