"""How every lane stands at one instant: judged by the run of ours, or by the load that is seen."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import TargetState
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.metered.history import History, LaneHistory, Series
from loadtests.control_room.standing.judgement import Basis, Memory
from loadtests.control_room.standing.judging import judge
from loadtests.control_room.standing.states import IDLE_S, State, state_of
from reports.phases import between
from reports.record import End, Fault, Header, Lane

WARM_UP_S = 1.0
"""The first second of a load that is not ours is no part of the baseline, as of one that is."""
GRACE_S = 1.0
"""Attempts that still come this long after a run's end are its own."""


@dataclass(frozen=True)
class Standing:
    """A lane, its state, and what it is offered."""

    lane: Lane
    state: State
    offered_per_s: float | None
    offered_in_run: int | None
    """Attempts since the run of ours began, as the target counted them; None: not all are kept."""


def standings(
    history: History,
    target: TargetState,
    offset_s: float,
    tally: ClientTally,
    memories: dict[str, Memory],
) -> Iterator[Standing]:
    """The lanes of the run of ours, then all others that are loaded, or all where there is no run.

    Lane by lane, so that others may have a turn between. `memories` holds what was found of each
    lane so far, and is kept up to date.
    """
    run, ended = tally.run, tally.ended
    for lane in lanes_of(history, tally):
        own = history.lanes.get(lane.lane)
        if own is None:
            absent = State("idle", "no load", "the target has no such lane")
            yield Standing(lane, absent, None, None)
            continue
        basis = basis_of(own, history.end_s, offset_s, run, ended)
        series = history.series(lane.lane)
        faults = faults_of(target, basis.anchor_s)
        if run is not None:
            faults += _shifted(tally.spikes, run.anchor_epoch_s - offset_s - basis.anchor_s)
        memory = memories.get(lane.lane)
        found = judge(series, history.tick_s, lane.lane, faults, basis, memory=memory)
        if found.memory is not None:
            memories[lane.lane] = found.memory
        loaded_s = None if own.loaded_s is None else own.loaded_s - basis.anchor_s
        yield Standing(
            lane,
            state_of(found, loaded_s),
            found.load_per_s,
            _since(series, history.tick_s, run, offset_s),
        )


def lanes_of(history: History, tally: ClientTally) -> list[Lane]:
    """Which lanes are shown, in order."""
    known = {lane.lane: lane for lane in tally.lanes()}
    for name, own in history.lanes.items():
        if not known or own.loaded_s is not None or tally.run is None:
            known.setdefault(name, Lane(name, name))
    return list(known.values())


def basis_of(
    own: LaneHistory, now_s: float, offset_s: float, run: Header | None, ended: End | None
) -> Basis:
    """What the lane is judged by at `now_s`, on the target's clock.

    A run of ours is over for a lane when it has ended; load that goes on is somebody else's.
    """
    since_s = 0.0
    if run is not None and own.loaded_s is not None:
        anchor_s = run.anchor_epoch_s - offset_s
        over_s = None if ended is None else anchor_s + ended.t_s
        if over_s is None or own.loaded_s <= over_s + GRACE_S:
            ended_s = ended.t_s if ended else None
            return Basis(anchor_s, run.observe_from_s, run.planned_end_s, ended_s)
        since_s = over_s
    if own.began_s is None or own.loaded_s is None:
        return Basis(now_s, WARM_UP_S)
    began_s = max(own.began_s, since_s)
    silent = now_s - own.loaded_s >= IDLE_S
    return Basis(began_s, WARM_UP_S, ended_s=own.loaded_s - began_s if silent else None)


def faults_of(target: TargetState, anchor_s: float) -> list[Fault]:
    """The dips and other faults of the target, in seconds from the anchor, as a record has them."""

    def when(status: DipStatus | FaultStatus | ActionStatus) -> tuple[float, float]:
        return round(status.start_s - anchor_s, 6), round(status.end_s - anchor_s, 6)

    return [
        *(Fault("dip", dip.id, *when(dip), dip.what, dip.shape, dip.lanes) for dip in target.dips),
        *(
            Fault(fault.type, fault.id, *when(fault), lanes=fault.lanes, text=fault.text)
            for fault in target.faults
        ),
    ]


def _shifted(spikes: tuple[Fault, ...], by_s: float) -> list[Fault]:
    return [
        replace(spike, start_s=spike.start_s + by_s, end_s=spike.end_s + by_s) for spike in spikes
    ]


def _since(series: Series, tick_s: float, run: Header | None, offset_s: float) -> int | None:
    if run is None or not series.t_s.size:
        return None
    anchor_s = run.anchor_epoch_s - offset_s
    if series.t_s[0] > anchor_s + tick_s:
        return None
    return int(series.offered[between(series.t_s, anchor_s, math.inf, tick_s)].sum())
