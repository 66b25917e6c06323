"""The frozen result of one lane under one dip, and how it is put together from the measures."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reports import measures
from reports.phases import Phases, between
from reports.series import Floats, LaneSeries
from reports.settling import Settling, first_fit, settle

SECONDS_BEFORE = 5
SECONDS_AFTER = 60


@dataclass(frozen=True)
class Wave:
    """A relapse: seconds after the dip's end, and the attempts above capacity in it."""

    start_s: float
    end_s: float
    attempts: float


@dataclass(frozen=True)
class AfterDip:
    """The load after the dip. Times are seconds after the dip's end.

    `first_fit_s` is `None` when no tick fitted, `settled_s` when the lane did not recover.
    `noise_per_s` is the load that ordinary noise reaches; above capacity it hides storms below it.
    """

    first_fit_s: float | None
    settled_s: float | None
    times_dip: float | None
    relapses: tuple[Wave, ...]
    storm_attempts: float
    noise_per_s: float | None
    noise_hides: bool
    calm_from_s: float | None

    @property
    def recovered(self) -> bool:
        """Whether the load went under capacity and stayed there while it was watched."""
        return self.settled_s is not None


@dataclass(frozen=True)
class Cost:
    """What the dip and its storm cost the users of a lane.

    `latency_back_s` is in seconds after the dip's end, and `None` when latency never came back, or
    when there was none before the dip to compare with (`latency_before_ms` is `None` too).
    """

    failed_anyway: int
    goodput_before_per_s: float
    goodput_lost: float
    latency_before_ms: float | None
    latency_back_s: float | None


@dataclass(frozen=True)
class Second:
    """One second of a lane, all but the time in attempts per second.

    `t_s` is where it begins: seconds after the dip's end, or after the run's begin without a dip.
    """

    t_s: float
    first_per_s: float
    retries_per_s: float
    offered_per_s: float
    capacity_per_s: float


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a lane: per tick, all in attempts per second, and times as in `Second`.

    `seconds` are the ones around the dip, for those who cannot see a picture.
    """

    t_s: Floats
    by_attempt_per_s: Floats
    capacity_per_s: Floats
    seconds: tuple[Second, ...]


@dataclass(frozen=True)
class Recovery:
    """One lane of one run. `after` and `cost` are `None` when the run had no dip."""

    lane: str
    policy: str
    describe: str
    capacity_per_s: float
    offered_before_per_s: float
    peak_per_s: float
    attempts: int
    requests: int
    succeeded: int
    failed: int
    failed_by_reason: Mapping[str, int]
    unfinished: int
    amplification: float | None
    worst_amplification: float | None
    after: AfterDip | None
    cost: Cost | None
    drawn: Drawn

    @property
    def retries(self) -> bool:
        """Whether the lane saw more attempts than requests."""
        return self.attempts > self.requests


def recovery_of(
    lane: LaneSeries, t_s: Floats, tick_s: float, run: tuple[float, float], phases: Phases | None
) -> Recovery:
    """Measure one lane over ``run``, the seconds from where to where the load is looked at."""
    ticks = between(t_s, *run, tick_s)
    due = between(lane.bins.t_s, *run, tick_s)
    before = between(t_s, run[0], phases.first_dip_s, tick_s) if phases else ticks
    offered = lane.offered
    attempts = int(offered[ticks].sum())
    failed = {name: int(counts[due].sum()) for name, counts in lane.bins.failed.items()}
    issued, succeeded = int(lane.bins.issued[due].sum()), int(lane.bins.succeeded[due].sum())
    # A target that is loaded by somebody else's clients has ticks but no requests lines.
    requests = issued or int(lane.first_attempts[ticks].sum())
    capacity = lane.capacity[before]
    return Recovery(
        lane=lane.lane,
        policy=lane.policy,
        describe=lane.describe,
        capacity_per_s=float(np.median(capacity)) / tick_s if capacity.size else 0.0,
        offered_before_per_s=float(offered[before].mean()) / tick_s if capacity.size else 0.0,
        peak_per_s=measures.peak_per_s(offered[ticks], tick_s),
        attempts=attempts,
        requests=requests,
        succeeded=succeeded,
        failed=sum(failed.values()),
        failed_by_reason={name: count for name, count in failed.items() if count},
        unfinished=max(0, issued - succeeded - sum(failed.values())),
        amplification=measures.amplification(attempts, requests),
        worst_amplification=measures.worst_amplification(
            offered[ticks], lane.first_attempts[ticks], tick_s
        ),
        after=_after(lane, t_s, tick_s, phases) if phases else None,
        cost=_cost(lane, t_s, tick_s, phases) if phases else None,
        drawn=_drawn(lane, t_s, ticks, tick_s, phases.dip_end_s if phases else run[0]),
    )


def _after(lane: LaneSeries, t_s: Floats, tick_s: float, phases: Phases) -> AfterDip:
    before = between(t_s, phases.observe_from_s, phases.first_dip_s, tick_s)
    after = between(t_s, phases.dip_end_s, phases.end_s, tick_s)
    offered, capacity = lane.offered[after], lane.capacity[after]
    # The capacity to come back to: the one before the dip, or, when nothing was seen of that, now.
    known = lane.capacity[before] if lane.capacity[before].size else capacity
    usual = float(np.median(known)) if known.size else 0.0
    settling = settle(lane.offered[before], usual, offered, capacity, tick_s)
    fit = first_fit(offered, capacity)
    settled_s = None if settling.settled is None else settling.settled * tick_s
    return AfterDip(
        first_fit_s=None if fit is None else fit * tick_s,
        settled_s=settled_s,
        times_dip=None if settled_s is None else settled_s / phases.dip_length_s,
        relapses=_waves(settling, tick_s),
        storm_attempts=measures.storm_attempts(offered, capacity),
        noise_per_s=settling.noise / tick_s if np.isfinite(settling.noise) else None,
        noise_hides=settling.noise > usual,
        calm_from_s=None if settling.calm_from is None else settling.calm_from * tick_s,
    )


def _waves(settling: Settling, tick_s: float) -> tuple[Wave, ...]:
    return tuple(
        Wave(relapse.start * tick_s, relapse.end * tick_s, relapse.size)
        for relapse in settling.relapses
    )


def _cost(lane: LaneSeries, t_s: Floats, tick_s: float, phases: Phases) -> Cost:
    bins = lane.bins
    before = between(bins.t_s, phases.observe_from_s, phases.first_dip_s, tick_s)
    since = between(bins.t_s, phases.first_dip_s, phases.end_s, tick_s)
    in_dip = between(bins.t_s, phases.dip_start_s, phases.dip_end_s, tick_s)
    after = between(bins.t_s, phases.dip_end_s, phases.end_s, tick_s)
    dip = between(t_s, phases.dip_start_s, phases.dip_end_s, tick_s)
    failed = sum(int(counts[in_dip].sum()) for counts in bins.failed.values())
    usual_s = (before.stop - before.start) * tick_s
    goodput = float(bins.succeeded[before].sum()) / usual_s if usual_s else 0.0
    succeeded = int(bins.succeeded[since].sum())
    usual_ms = measures.p95_ms(bins.latency, before)
    back: int | None = None
    if usual_ms is not None:
        limit = measures.latency_limit_ms(usual_ms)
        back = measures.latency_back_s(bins, after, limit, tick_s)
    return Cost(
        failed_anyway=measures.failed_anyway(failed, lane.first_attempts[dip], lane.capacity[dip]),
        goodput_before_per_s=goodput,
        goodput_lost=measures.goodput_lost(
            goodput, max(0.0, phases.end_s - phases.first_dip_s), succeeded
        ),
        latency_before_ms=usual_ms,
        latency_back_s=back,
    )


def _drawn(lane: LaneSeries, t_s: Floats, ticks: slice, tick_s: float, origin_s: float) -> Drawn:
    return Drawn(
        t_s=t_s[ticks] - origin_s,
        by_attempt_per_s=lane.by_attempt[:, ticks] / tick_s,
        capacity_per_s=lane.capacity[ticks] / tick_s,
        seconds=_seconds(lane, t_s, ticks, tick_s, origin_s),
    )


def _seconds(
    lane: LaneSeries, t_s: Floats, ticks: slice, tick_s: float, origin_s: float
) -> tuple[Second, ...]:
    """Whole seconds counted from the origin: a few before it, and up to a minute after."""
    found = []
    for second in range(-SECONDS_BEFORE, SECONDS_AFTER):
        start_s = origin_s + second
        own = between(t_s[ticks], start_s, start_s + 1, tick_s)
        if (own.stop - own.start) * tick_s < 1 - tick_s / 2:
            continue
        place = slice(ticks.start + own.start, ticks.start + own.stop)
        offered = float(lane.offered[place].mean()) / tick_s
        first = float(lane.first_attempts[place].mean()) / tick_s
        capacity = float(lane.capacity[place].mean()) / tick_s
        found.append(Second(float(second), first, offered - first, offered, capacity))
    return tuple(found)
