"""What a simulated run gives: the counts that a target's meter and its clients would have made.

`lines` writes it as a record like that of a live run; `record_of` is what reading those lines back
gives, without the detour.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reports.reading.series import Bins, Counts, Floats, LaneSeries, LayerSeries, RunRecord
from reports.record import Action, End, Fault, Header, Lane

METERED = (
    "offered", "admitted", "turned_away", "completed", "abandoned", "blocked", "shed", "failed"
)  # fmt: skip


@dataclass(frozen=True)
class Metered:
    """One lane, tick by tick, as the target meters it.

    The first eight have one row an attempt number (row 0: unknown) and one column a tick; the rest
    one number a tick. `queue` and `in_flight` are those at the end of the tick.
    """

    offered: Counts
    admitted: Counts
    turned_away: Counts
    completed: Counts
    abandoned: Counts
    blocked: Counts
    shed: Counts
    failed: Counts
    capacity_per_s: Floats
    queue: Counts
    in_flight: Counts


@dataclass(frozen=True)
class Clients:
    """What the clients of one lane saw, by the tick in which a request was due.

    `failed` is by the reason for which the policy stopped. `latency` has a row per (tick, bucket)
    that occurs, in their order: tick, bucket, count.
    """

    issued: Counts
    succeeded: Counts
    attempts: Counts
    failed: Mapping[str, Counts]
    latency: Counts


@dataclass(frozen=True)
class MeteredLayer:
    """What arrived at one gateway for one lane, by attempt number and tick."""

    layer: str
    offered: Counts


@dataclass(frozen=True)
class PlayedLane:
    """All that a simulation has of one lane. `layers` stand from the outermost inward.

    `faults` and `actions` are what was done to the target, and the spikes: as in a record.
    """

    lane: Lane
    metered: Metered
    clients: Clients
    layers: tuple[MeteredLayer, ...] = ()
    faults: tuple[Fault, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True)
class Simulated:
    """A whole simulated run."""

    header: Header
    lanes: tuple[PlayedLane, ...]
    faults: tuple[Fault, ...]
    actions: tuple[Action, ...]
    end: End


def record_of(run: Simulated) -> RunRecord:
    """The record as the report reads it."""
    tick_s = run.header.tick_s
    ticks = run.lanes[0].metered.capacity_per_s.size
    t_s = np.round(np.arange(ticks) * tick_s, 6)
    return RunRecord(
        header=run.header,
        t_s=t_s,
        lanes=tuple(_series(lane, t_s, tick_s) for lane in run.lanes),
        layers=tuple(
            LayerSeries(layer.layer, lane.lane.lane, layer.offered.sum(axis=0), 0)
            for lane in run.lanes
            for layer in lane.layers
        ),
        faults=run.faults,
        actions=run.actions,
        health=(),
        end=run.end,
        notes=(),
    )


def _series(played: PlayedLane, t_s: Floats, tick_s: float) -> LaneSeries:
    metered, clients = played.metered, played.clients
    missing: npt.NDArray[np.bool_] = np.zeros(t_s.size, np.bool_)
    return LaneSeries(
        lane=played.lane.lane,
        policy=played.lane.policy,
        describe=played.lane.describe,
        capacity=metered.capacity_per_s * tick_s,
        by_attempt=metered.offered,
        admitted=metered.admitted.sum(axis=0),
        turned_away=metered.turned_away.sum(axis=0),
        blocked=metered.blocked.sum(axis=0),
        completed=metered.completed.sum(axis=0),
        shed=metered.shed.sum(axis=0),
        failed=metered.failed.sum(axis=0),
        first_failed=metered.failed[1],
        abandoned=metered.abandoned.sum(axis=0),
        first_abandoned=metered.abandoned[1],
        queue=metered.queue,
        in_flight=metered.in_flight,
        accounted=True,
        missing=missing,
        bins=_bins(clients, tick_s),
        opaque=False,
        issued=clients.issued,
    )


def _bins(clients: Clients, tick_s: float) -> Bins:
    """From the first bin in which a request was due to the last: no others have a line."""
    due = np.flatnonzero(clients.issued)
    if not due.size:
        none = np.zeros(0, np.int64)
        return Bins(np.zeros(0), none, none, none, {}, np.zeros((0, 3), np.int64))
    first, end = int(due[0]), int(due[-1]) + 1
    failed = {why: counts[first:end] for why, counts in sorted(clients.failed.items())}
    return Bins(
        t_s=np.arange(first, end, dtype=np.float64) * tick_s,
        issued=clients.issued[first:end],
        succeeded=clients.succeeded[first:end],
        attempts=clients.attempts[first:end],
        failed={why: counts for why, counts in failed.items() if counts.any()},
        latency=clients.latency - np.array([first, 0, 0]),
    )
