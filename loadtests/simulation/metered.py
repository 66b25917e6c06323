"""What a simulated run gives: the counts that a target's meter and its clients would have made.

Written as lines it is a record like that of a live run; `record_of` is what reading those lines
back gives, without the detour.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reports.record import Action, End, Fault, Header, Lane, LayerTick, Line, Requests, Tick
from reports.series import Bins, Counts, Floats, LaneSeries, LayerSeries, RunRecord

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


def lines_of(run: Simulated) -> Iterator[Line]:
    """The lines of its record, in the order of time."""
    yield run.header
    yield from run.faults
    yield from run.actions
    ticks = run.lanes[0].metered.capacity_per_s.size
    rows = [_Rows(lane) for lane in run.lanes]
    for seq in range(ticks):
        t_s = round(seq * run.header.tick_s, 6)
        for row in rows:
            yield row.tick(seq, t_s)
        for row in rows:
            yield from row.layers(seq, t_s)
        for row in rows:
            if (requests := row.requests(seq, t_s)) is not None:
                yield requests
    yield run.end


class _Rows:
    """One lane as plain numbers, tick by tick: numpy's own are slow to take one by one."""

    def __init__(self, played: PlayedLane) -> None:
        metered, clients = played.metered, played.clients
        self.lane = played.lane.lane
        self.counts = {name: getattr(metered, name).T.tolist() for name in METERED}
        self.capacity = metered.capacity_per_s.tolist()
        self.queue, self.in_flight = metered.queue.tolist(), metered.in_flight.tolist()
        self.issued, self.succeeded = clients.issued.tolist(), clients.succeeded.tolist()
        self.attempts = clients.attempts.tolist()
        self.failed = {reason: counts.tolist() for reason, counts in clients.failed.items()}
        self.latency: dict[int, dict[int, int]] = {}
        for tick, bucket, count in clients.latency.tolist():
            self.latency.setdefault(tick, {})[bucket] = count
        self.offered = [(layer.layer, layer.offered.T.tolist()) for layer in played.layers]

    def tick(self, seq: int, t_s: float) -> Tick:
        counts = {name: _cut(by_tick[seq]) for name, by_tick in self.counts.items()}
        return Tick(
            seq=seq,
            t_s=t_s,
            lane=self.lane,
            capacity_per_s=self.capacity[seq],
            queue=self.queue[seq],
            in_flight=self.in_flight[seq],
            **counts,
        )

    def layers(self, seq: int, t_s: float) -> Iterator[LayerTick]:
        for layer, offered in self.offered:
            yield LayerTick(seq, t_s, layer, self.lane, _cut(offered[seq]))

    def requests(self, seq: int, t_s: float) -> Requests | None:
        if not self.issued[seq]:
            return None
        found = Requests(t_s, self.lane, self.issued[seq], self.succeeded[seq])
        found.failed.update({why: by[seq] for why, by in self.failed.items() if by[seq]})
        found.attempts = self.attempts[seq]
        found.latency.update(self.latency.get(seq, {}))
        return found


def _cut(counts: Sequence[int]) -> list[int]:
    """Without the zeros at the end."""
    size = len(counts)
    while size and not counts[size - 1]:
        size -= 1
    return list(counts[:size])


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
