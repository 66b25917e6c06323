"""Puts the figures of one lane together from what is measured of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reports.folding.phases import Phases, together, too_soon
from reports.folding.trigger import trigger_of
from reports.folding.view import View
from reports.measuring import arithmetic
from reports.measuring.goodput import Goodput, goodput_back
from reports.measuring.lingering import lingering_per_s
from reports.measuring.recovery import Aftermath, Cost, Figures, Service, Wave
from reports.measuring.settling import Settling, first_fit, settle
from reports.reading.series import LaneSeries
from reports.record import Fault


@dataclass(frozen=True)
class Totals:
    """What is counted of one lane over what of the run is looked at."""

    attempts: int
    requests: int
    succeeded: int | None
    failed_by_reason: Mapping[str, int]
    unfinished: int | None
    peak_per_s: float

    @property
    def failed(self) -> int | None:
        """Requests that failed, for whatever reason; `None` where it was not told."""
        return None if self.succeeded is None else sum(self.failed_by_reason.values())


def figures_of(view: View) -> Figures:
    """Measure one lane."""
    lane, phases, tick_s = view.lane, view.phases, view.tick_s
    offered, ticks = lane.offered, view.run
    totals = totals_of(view)
    before = offered[view.before]
    from_s, until_s = view.counted_s
    answered = view.bins(from_s, until_s - arithmetic.timeout_s(view.record))
    return Figures(
        lane=lane.lane,
        policy=lane.policy,
        trigger=trigger_of(view.record, phases, lane) if phases else None,
        capacity_per_s=view.usual / tick_s,
        offered_before_per_s=float(before.mean()) / tick_s if before.size else 0.0,
        peak_per_s=totals.peak_per_s,
        attempts=totals.attempts,
        requests=totals.requests,
        succeeded=totals.succeeded,
        failed=totals.failed,
        failed_by_reason=totals.failed_by_reason,
        unfinished=totals.unfinished,
        overdue=_unfinished(lane, answered),
        amplification=arithmetic.amplification(totals.attempts, totals.requests),
        worst_amplification=arithmetic.worst_amplification(
            offered[view.own], lane.first_attempts[view.own], tick_s
        ),
        after=aftermath_of(view),
        cost=_cost(view, phases) if phases else None,
        service=_service(lane, ticks),
    )


def totals_of(view: View) -> Totals:
    """Counted over the ticks that are looked at, and over the requests that were due in them."""
    lane, record = view.lane, view.record
    due = view.bins(*view.counted_s)
    offered = lane.offered[view.run]
    failed = {name: int(counts[due].sum()) for name, counts in lane.bins.failed.items()}
    issued, succeeded = int(lane.bins.issued[due].sum()), int(lane.bins.succeeded[due].sum())
    return Totals(
        attempts=int(offered.sum()),
        # A target that is loaded by somebody else's clients has ticks but no requests lines.
        requests=issued or int(lane.first_attempts[view.run].sum()),
        succeeded=succeeded if lane.told else None,
        failed_by_reason={name: count for name, count in failed.items() if count},
        unfinished=_unfinished(lane, due) if lane.told else None,
        peak_per_s=arithmetic.peak_per_s(offered, record.tick_s),
    )


def _unfinished(lane: LaneSeries, due: slice) -> int:
    """Requests due then that neither succeeded nor failed."""
    failed = sum(int(counts[due].sum()) for counts in lane.bins.failed.values())
    return max(0, int(lane.bins.issued[due].sum()) - int(lane.bins.succeeded[due].sum()) - failed)


def aftermath_of(view: View) -> Aftermath | None:
    """How the lane came back; `None` where nothing disturbed it."""
    lane, tick_s, phases = view.lane, view.tick_s, view.phases
    if phases is None:
        return None
    after = view.ticks(phases.over_s, phases.end_s)
    offered, capacity = lane.offered[after], lane.capacity[after]
    settling = settle(lane.offered[view.before], view.usual, offered, capacity, tick_s)
    goodput = goodput_back(
        lane.bins,
        view.bins(phases.observe_from_s, phases.first_s),
        view.bins(phases.over_s, phases.end_s),
        tick_s,
    )
    back, good_from = (goodput.back, goodput.good_from) if goodput else (None, None)
    settled_s = _seconds(settling.settled, tick_s)
    return Aftermath(
        observed_s=phases.observed_s,
        first_fit_s=_seconds(first_fit(offered, capacity), tick_s),
        settled_s=settled_s,
        stormed=settling.storm,
        times_trigger=None if settled_s is None else settled_s / phases.length_s,
        relapses=_waves(settling, tick_s),
        storm_attempts=arithmetic.storm_attempts(offered, capacity),
        noise_per_s=settling.noise / tick_s if np.isfinite(settling.noise) else None,
        noise_hides=settling.noise > view.usual,
        calm_from_s=_seconds(settling.calm_from, tick_s),
        goodput_known=goodput is not None,
        goodput_back_s=_seconds(back, tick_s),
        goodput_from_s=_seconds(good_from, tick_s),
        work_lost=_work_lost(lane, after, settling, goodput) if view.gone_work_done else None,
        too_soon=view.going_on and too_soon(phases, tick_s),
        lingering_per_s=_lingering_per_s(view, after, settling),
    )


def _seconds(ticks: int | None, tick_s: float) -> float | None:
    return None if ticks is None else ticks * tick_s


def _lingering_per_s(view: View, after: slice, settling: Settling) -> float | None:
    if settling.settled is None:
        return None
    retries = view.lane.offered - view.lane.first_attempts
    since = retries[after.start + settling.settled : after.stop]
    return lingering_per_s(retries[view.before], since, view.tick_s)


def _waves(settling: Settling, tick_s: float) -> tuple[Wave, ...]:
    return tuple(
        Wave(relapse.start * tick_s, relapse.end * tick_s, relapse.size)
        for relapse in settling.relapses
    )


def _work_lost(
    lane: LaneSeries, after: slice, settling: Settling, goodput: Goodput | None
) -> float | None:
    """Of the work from the trigger's end until load and goodput had come back, the lost share."""
    if not lane.queued:
        return None
    ends = [settling.settled, goodput.back if goodput else settling.settled]
    known = [end for end in ends if end is not None]
    until = after.start + max(known) if len(known) == len(ends) else after.stop
    storm = slice(after.start, until)
    return arithmetic.work_lost(lane.completed[storm], lane.shed[storm], lane.abandoned[storm])


def _cost(view: View, phases: Phases) -> Cost:
    bins = view.lane.bins
    if not view.lane.told:
        return Cost(None, None, None, latency_before_ms=None, latency_back_s=None)
    before = view.bins(phases.observe_from_s, phases.first_s)
    since = view.bins(phases.begin_s, phases.end_s)
    after = view.bins(phases.over_s, phases.end_s)
    usual_s = (before.stop - before.start) * view.tick_s
    good_before = int(bins.succeeded[before].sum())
    usual_ms = arithmetic.p95_ms(bins.latency, before)
    back: int | None = None
    if usual_ms is not None:
        limit = arithmetic.latency_limit_ms(usual_ms)
        back = arithmetic.latency_back_s(bins, after, limit, view.tick_s)
    return Cost(
        failed_anyway=sum(
            _failed_anyway(view, group) for group in together(phases.disturbances, view.tick_s)
        ),
        goodput_before_per_s=good_before / usual_s if usual_s else 0.0,
        goodput_lost=arithmetic.goodput_lost(
            arithmetic.share_of(good_before, int(bins.issued[before].sum())),
            int(bins.issued[since].sum()),
            int(bins.succeeded[since].sum()),
        ),
        latency_before_ms=usual_ms,
        latency_back_s=back,
    )


def _failed_anyway(view: View, group: Sequence[Fault]) -> int:
    """Of disturbances that are one trigger: no more than failed of what was due in them."""
    over_s = max(fault.end_s for fault in group)
    inside = view.bins(group[0].start_s, over_s)
    failed = sum(int(counts[inside].sum()) for counts in view.lane.bins.failed.values())
    spans = ((fault.type, view.ticks(fault.start_s, fault.end_s)) for fault in group)
    return min(failed, arithmetic.doomed(view.lane, spans))


def _service(lane: LaneSeries, ticks: slice) -> Service:
    return Service(
        longest_queue=int(lane.queue[ticks].max(initial=0)),
        abandoned=int(lane.abandoned[ticks].sum()),
        shed=int(lane.shed[ticks].sum()),
        blocked=int(lane.blocked[ticks].sum()),
        failed=int(lane.failed[ticks].sum()),
    )
