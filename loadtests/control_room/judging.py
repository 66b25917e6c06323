"""How one lane stands, by the rules of the report: the same ticks, the same trigger, one `settle`.

Times are seconds from the anchor: the begin of the run that loads the lane or, where none of ours
does, of the load that was seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadtests.control_room.history import Series
from reports.phases import Phases, between, concerns, find_phases
from reports.record import LIVE, End, Fault, Header
from reports.series import Floats, RunRecord
from reports.settling import Settling, above, hold_ticks, settle, window_ticks
from reports.view import usual_capacity


@dataclass(frozen=True)
class Basis:
    """What the lane is judged by: where its load began and when it ended, if it has.

    `anchor_s` is on the target's clock, all else in seconds from it.
    """

    anchor_s: float
    observe_from_s: float
    planned_end_s: float | None = None
    ended_s: float | None = None


@dataclass(frozen=True)
class Judgement:
    """What is known of a lane at `now_s`, the end of its newest tick.

    `load_per_s` is the mean of the newest second, `limit_per_s` the capacity in it. `high` says
    whether that load is above the limit, by the rule of `settle` where there is a trigger. `calm_s`
    is for how long no window has been high since, towards the hold.
    """

    now_s: float
    load_per_s: float
    limit_per_s: float
    capacity_per_s: float
    high: bool
    ended: bool
    in_force: Fault | None = None
    trigger: Fault | None = None
    observed_s: float = 0.0
    calm_s: float = 0.0
    settling: Settling | None = None
    tick_s: float = 0.1


def judge(
    series: Series, tick_s: float, lane: str, faults: Sequence[Fault], basis: Basis
) -> Judgement:
    """How the lane stands after the last tick of `series`. `faults` are in seconds from the anchor.

    A fault that was over before the load began is no part of this, as in a record.
    """
    t_s = series.t_s - basis.anchor_s
    now_s = float(t_s[-1]) + tick_s if t_s.size else 0.0
    own = [fault for fault in faults if fault.end_s > max(fault.start_s, 0.0)]
    known = _as_record(t_s, tick_s, own, basis)
    phases = find_phases(known, lane) if t_s.size else None
    plain = _without_trigger(series, tick_s, now_s, _in_force(own, lane, now_s), basis)
    if phases is None or phases.over_s >= phases.end_s:
        return plain
    return _after(plain, series, t_s, tick_s, phases)


def _as_record(t_s: Floats, tick_s: float, faults: Sequence[Fault], basis: Basis) -> RunRecord:
    """What is known, as the record that a report would find its phases in."""
    header = Header(
        id="",
        name="",
        source=LIVE,
        anchor_epoch_s=0.0,
        tick_s=tick_s,
        seed=0,
        lanes=(),
        scenario={},
        versions={},
        observe_from_s=basis.observe_from_s,
        planned_end_s=basis.planned_end_s,
    )
    end = None if basis.ended_s is None else End(basis.ended_s)
    return RunRecord(header, t_s, (), (), tuple(faults), (), (), end, ())


def _without_trigger(
    series: Series, tick_s: float, now_s: float, in_force: Fault | None, basis: Basis
) -> Judgement:
    """Above capacity: in the newest second, and on average over the newest five."""
    newest, long = slice(-window_ticks(tick_s), None), slice(-hold_ticks(tick_s), None)
    offered, capacity = series.offered, series.capacity
    high = all(_is_above(offered[part], capacity[part]) for part in (newest, long))
    return Judgement(
        now_s=now_s,
        load_per_s=_mean(offered[newest]) / tick_s,
        limit_per_s=_mean(capacity[newest]) / tick_s,
        capacity_per_s=float(capacity[-1]) / tick_s if capacity.size else 0.0,
        high=high,
        ended=basis.ended_s is not None,
        in_force=in_force,
        tick_s=tick_s,
    )


def _after(
    plain: Judgement, series: Series, t_s: Floats, tick_s: float, phases: Phases
) -> Judgement:
    """As `reports.lane.aftermath_of` has it, and what is high at the end."""
    before = between(t_s, phases.observe_from_s, phases.first_s, tick_s)
    after = between(t_s, phases.over_s, phases.end_s, tick_s)
    offered, capacity = series.offered[after], series.capacity[after]
    usual = usual_capacity(series.capacity[before], capacity)
    settling = settle(series.offered[before], usual, offered, capacity, tick_s)
    theta = capacity + max(0.0, settling.noise - usual)
    newest = slice(-window_ticks(tick_s), None)
    return Judgement(
        now_s=plain.now_s,
        load_per_s=plain.load_per_s,
        limit_per_s=_mean(theta[newest]) / tick_s,
        capacity_per_s=plain.capacity_per_s,
        high=_is_above(offered[newest], theta[newest]),
        ended=plain.ended,
        in_force=plain.in_force,
        trigger=phases.trigger,
        observed_s=phases.observed_s,
        calm_s=_calm_ticks(settling, offered.size, window_ticks(tick_s)) * tick_s,
        settling=settling,
        tick_s=tick_s,
    )


def _calm_ticks(settling: Settling, ticks: int, width: int) -> int:
    """Windows since the last high one, of those that the hold counts; before a hold was found."""
    windows = max(0, ticks - width + 1)
    if not settling.storm:
        return windows
    return 0 if settling.calm_from is None else ticks - settling.calm_from


def _in_force(faults: Sequence[Fault], lane: str, now_s: float) -> Fault | None:
    """What disturbs the lane now: a dip before all others, of several the last to end."""
    found = [
        fault
        for fault in faults
        if fault.start_s <= now_s + 1e-6 < fault.end_s and concerns(fault, lane)
    ]
    return max(found, key=lambda fault: (fault.type == "dip", fault.end_s), default=None)


def _mean(values: Floats | np.typing.NDArray[np.int64]) -> float:
    return float(values.mean()) if values.size else 0.0


def _is_above(load: np.typing.NDArray[np.int64], limit: Floats) -> bool:
    return bool(load.size) and bool(above(np.array(_mean(load)), np.array(_mean(limit))))
