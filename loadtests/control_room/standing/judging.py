"""How one lane stands, by the rules of the report: the same ticks, the same trigger, one `settle`.

A report has all ticks of a run, and here only the newest are kept. What was found is remembered
once the ticks that it was found by are not: the load before the first disturbance, and when the
lane settled. Where the ticks after a trigger were never seen, nothing is said of how it settled.

Times are seconds from the anchor: the begin of the run that loads the lane or, where none of ours
does, of the load that was seen.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from loadtests.control_room.metered.history import Series
from loadtests.control_room.standing.answered import bins_before, goodput_after
from loadtests.control_room.standing.judgement import Basis, Judgement, Memory
from reports.folding.phases import Phases, between, concerns, find_phases
from reports.folding.view import usual_capacity
from reports.folding.windows import hold_ticks, window_ticks
from reports.measuring.settling import Settling, above, limit, often_above, settle
from reports.reading.series import Bins, Floats, RunRecord
from reports.record import LIVE, End, Fault, Header

ROUNDED_S = 1e-6
"""Times of faults are rounded to this, and so are those of ticks beside them."""


def judge(  # noqa: PLR0913 - the last is what this gave the last time
    series: Series,
    tick_s: float,
    lane: str,
    faults: Sequence[Fault],
    basis: Basis,
    *,
    bins: Bins | None = None,
    memory: Memory | None = None,
) -> Judgement:
    """How the lane stands after the last tick of `series`. `faults` are in seconds from the anchor.

    A fault that was over before the load began is no part of this, as in a record. `bins` are what
    its clients saw, where they are ours.
    """
    t_s = series.t_s - basis.anchor_s
    now_s = float(t_s[-1]) + tick_s if t_s.size else 0.0
    own = [fault for fault in faults if fault.end_s > max(fault.start_s, 0.0)]
    plain = _without_trigger(series, tick_s, now_s, _in_force(own, lane, now_s), basis)
    phases = find_phases(_as_record(t_s, tick_s, own, basis), lane) if t_s.size else None
    if phases is None:
        return plain
    if phases.over_s >= phases.end_s:
        return replace(plain, trigger=phases.trigger, cut_off=True) if plain.ended else plain
    on_anchor = Series(t_s, series.offered, series.capacity)
    return _after(plain, on_anchor, tick_s, phases, memory, basis, bins)


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
    return Judgement(
        now_s=now_s,
        load_per_s=_mean(offered[newest]) / tick_s,
        limit_per_s=_mean(capacity[newest]) / tick_s,
        capacity_per_s=float(capacity[-1]) / tick_s if capacity.size else 0.0,
        high=all(_is_above(offered[part], capacity[part]) for part in (newest, long)),
        ended=basis.ended_s is not None,
        in_force=in_force,
    )


def _after(  # noqa: PLR0913, PLR0917 - of a lane, what was found so far and what is known
    plain: Judgement,
    series: Series,
    tick_s: float,
    phases: Phases,
    memory: Memory | None,
    basis: Basis,
    bins: Bins | None,
) -> Judgement:
    """As `reports.measuring.figures.aftermath_of` has it, and what is high at the end."""
    blank = _blank(series, tick_s, phases, basis, bins)
    if memory is not None and memory.has_same_before(blank):
        blank = _with_before_of(memory, blank)
    known = memory if memory is not None and memory.fits(blank) else None
    if known is not None:
        blank = replace(blank, goodput_back=known.goodput_back)
    after = between(series.t_s, phases.over_s, phases.end_s, tick_s)
    offered, capacity = series.offered[after], series.capacity[after]
    settling = settle(blank.before, blank.usual, offered, capacity, tick_s)
    theta = limit(capacity, settling.noise, blank.usual)
    newest = slice(-window_ticks(tick_s), None)
    found = replace(
        plain,
        limit_per_s=_mean(theta[newest]) / tick_s,
        high=_is_above(offered[newest], theta[newest]),
        trigger=phases.trigger,
        observed_s=phases.observed_s,
        calm_s=_calm_ticks(settling, offered.size, window_ticks(tick_s)) * tick_s,
        unsteady=blank.unsteady,
        unloaded=bool(blank.before.size) and not blank.before.any(),
    )
    lost_s = max(0.0, float(series.t_s[0]) - phases.over_s)
    if lost_s < tick_s / 2:
        found = _seen(found, settling, 0.0, phases, tick_s)
    elif known is None:
        return replace(found, seen=False)
    elif known.settled_s is None:
        found = _seen(found, settling, lost_s, phases, tick_s)
    else:
        since_s = known.high_since_s if known.high_since_s is not None else found.now_s
        found = replace(
            found,
            settled_s=known.settled_s,
            relapses=known.relapses + (found.high and known.high_since_s is None),
            relapsed_at_s=since_s if found.high else None,
        )
    back, starved = goodput_after(bins, blank, phases, tick_s, ended=found.ended)
    return replace(
        found,
        starved=starved and found.settled_s is not None,
        memory=replace(
            blank,
            goodput_back=back,
            settled_s=found.settled_s,
            relapses=found.relapses,
            high_since_s=found.relapsed_at_s,
        ),
    )


def _blank(
    series: Series, tick_s: float, phases: Phases, basis: Basis, bins: Bins | None
) -> Memory:
    """The load before the first disturbance, the capacity then, and what became of requests."""
    before = between(series.t_s, phases.observe_from_s, phases.first_s, tick_s)
    after = between(series.t_s, phases.over_s, phases.end_s, tick_s)
    first = min(phases.disturbances, key=lambda fault: fault.start_s)
    usual = usual_capacity(series.capacity[before], series.capacity[after])
    of = first.id, phases.trigger.id
    offered, capacity = series.offered[before], series.capacity[before]
    unsteady = often_above(offered, capacity, tick_s)
    known = None if bins is None else bins_before(bins, phases, tick_s)
    return Memory(of, basis.anchor_s, offered.copy(), usual, unsteady, known)


def _with_before_of(known: Memory, blank: Memory) -> Memory:
    """What was before, of which there was more when it was looked at earlier."""
    if known.before.size > blank.before.size:
        blank = replace(blank, before=known.before, usual=known.usual, unsteady=known.unsteady)
    if known.bins is not None and (blank.bins is None or known.bins.t_s.size > blank.bins.t_s.size):
        blank = replace(blank, bins=known.bins)
    return blank


def _seen(
    found: Judgement, settling: Settling, lost_s: float, phases: Phases, tick_s: float
) -> Judgement:
    """What `settle` found in the ticks that begin `lost_s` after the trigger's end."""
    if settling.settled is None:
        return found
    again = settling.relapses[-1] if settling.relapses and found.high else None
    began_s = phases.over_s + lost_s
    return replace(
        found,
        settled_s=lost_s + settling.settled * tick_s,
        relapses=len(settling.relapses),
        relapsed_at_s=None if again is None else began_s + again.start * tick_s,
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
        # Until a tick has been seen after it: before that nothing came after it.
        if fault.start_s - ROUNDED_S <= now_s < fault.end_s + ROUNDED_S and concerns(fault, lane)
    ]
    return max(found, key=lambda fault: (fault.type == "dip", fault.end_s), default=None)


def _mean(values: Floats | np.typing.NDArray[np.int64]) -> float:
    return float(values.mean()) if values.size else 0.0


def _is_above(load: np.typing.NDArray[np.int64], limit: Floats) -> bool:
    return bool(load.size) and bool(above(np.array(_mean(load)), np.array(_mean(limit))))
