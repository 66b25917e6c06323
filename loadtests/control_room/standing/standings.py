"""How every lane stands at one instant: judged by the run of ours, or by the load that is seen."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import TargetState
from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.metered.history import LASTING_S, TINY_S, History, LaneHistory
from loadtests.control_room.standing.answered import bins_of
from loadtests.control_room.standing.judgement import Basis, Memory
from loadtests.control_room.standing.judging import judge
from loadtests.control_room.standing.states import IDLE_S, State, state_of
from reports.record import End, Fault, Header, Lane

WARM_UP_S = 1.0
"""The first second of a load that is not ours is no part of the baseline, as of one that is."""
GRACE_S = 1.0
"""Attempts that still come this long after a run's end are its own, however many."""


@dataclass(frozen=True)
class Standing:
    """A lane, its state, and what it is offered."""

    lane: Lane
    state: State
    offered_per_s: float | None
    offered_in_run: int | None
    """Attempts that arrived in the run of ours, where the report looks at it; None: not known.

    While the run goes on, up to when its clients have told of their requests.
    """
    requests_in_run: int = 0
    """The requests that were due then."""


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
    ours = {lane.lane for lane in tally.lanes()}
    for lane in lanes_of(history, tally):
        own = history.lanes.get(lane.lane)
        if own is None:
            absent = State("idle", "no load", "the target has no such lane")
            yield Standing(lane, absent, None, None)
            continue
        # Whoever else loads a lane, it is not judged by a run that does not.
        run = tally.run if lane.lane in ours else None
        basis = basis_of(own, history.end_s, offset_s, run, tally.ended)
        faults = faults_of(target, basis.anchor_s)
        bins, arrived, due = None, None, 0
        if run is not None:
            anchor_s = run.anchor_epoch_s - offset_s
            faults += _shifted(tally.spikes, anchor_s - basis.anchor_s)
            if basis.ours:
                bins = bins_of(tally, lane.lane)
            start_s, end_s = counted_in(tally, run, history.end_s - anchor_s)
            arrived = history.attempts(lane.lane, anchor_s + start_s, anchor_s + end_s)
            due = tally.requests_before(lane.lane, end_s)
        found = judge(
            history.series(lane.lane),
            history.tick_s,
            lane.lane,
            faults,
            basis,
            bins=bins,
            memory=memories.get(lane.lane),
        )
        if found.memory is not None:
            memories[lane.lane] = found.memory
        loaded_s = None if own.loaded_s is None else own.loaded_s - basis.anchor_s
        yield Standing(lane, state_of(found, loaded_s), found.load_per_s, arrived, due)


def counted_in(tally: ClientTally, run: Header, metered_s: float) -> tuple[float, float]:
    """Where attempts are held against requests: as in the report, and as far as both are known.

    The target has metered them up to `metered_s`; all is in seconds from the run's begin.
    """
    ended = tally.ended
    told_s = ended.t_s if ended else tally.counted_until_s() - run.anchor_epoch_s
    planned_s = math.inf if run.planned_end_s is None else run.planned_end_s
    return run.observe_from_s, max(run.observe_from_s, min(metered_s, told_s, planned_s))


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

    A run of ours is over for a lane when it has ended and load goes on that is somebody else's: for
    some seconds, since single attempts may come long after, and are no new load.
    """
    since_s = 0.0
    if run is not None and own.loaded_s is not None:
        anchor_s = run.anchor_epoch_s - offset_s
        over_s = None if ended is None else anchor_s + ended.t_s
        next_s = None if over_s is None else _next_load_s(own, over_s)
        if next_s is None:
            ended_s = ended.t_s if ended else None
            return Basis(anchor_s, run.observe_from_s, run.planned_end_s, ended_s, ours=True)
        since_s = next_s
    if own.began_s is None or own.loaded_s is None:
        return Basis(now_s, WARM_UP_S)
    began_s = max(own.began_s, since_s)
    silent = now_s - own.loaded_s >= IDLE_S
    return Basis(began_s, WARM_UP_S, ended_s=own.loaded_s - began_s if silent else None)


def _next_load_s(own: LaneHistory, over_s: float) -> float | None:
    """When the load began that came after `over_s` and lasted; None where none did."""
    for begin_s, end_s in own.stretches:
        if end_s - max(begin_s, over_s + GRACE_S) >= LASTING_S - TINY_S:
            return max(begin_s, over_s)
    return None


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
