"""What a record holds once it is read: frozen, and dense arrays where the record has lines.

Every array over ticks has the length of `RunRecord.t_s`; every array over bins the length of
`Bins.t_s`. Counts are attempts or requests per tick, never per second.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reports.record import Action, End, Fault, Header, Health

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Bins:
    """What the clients of one lane saw, by the bin of one tick width in which a request was due.

    `latency` has one row per (bin, bucket) that occurred: bin index, bucket, count; in the order of
    the bins.
    """

    t_s: Floats
    issued: Counts
    succeeded: Counts
    attempts: Counts
    failed: Mapping[str, Counts]
    latency: Counts


@dataclass(frozen=True)
class LaneSeries:
    """One lane, tick by tick, as the target metered it, and what its clients saw.

    `by_attempt[n]` is offered load by attempt number; row 0 is attempts of unknown number.
    `missing` marks ticks without a line between the lane's first tick and the record's last.
    `issued` are the requests that became due in each tick; of an `opaque` lane they stand for the
    first attempts, since the library in it numbers none. `first_failed` and `first_abandoned` are
    those of first attempts. `begins` is the place of the first tick with a line of the lane, which
    may have appeared late. `accounted` says whether the lane's ticks have all that it takes to add
    them up: records of earlier versions have not.
    """

    lane: str
    policy: str
    describe: str
    capacity: Floats
    by_attempt: Counts
    admitted: Counts
    turned_away: Counts
    blocked: Counts
    completed: Counts
    shed: Counts
    failed: Counts
    first_failed: Counts
    abandoned: Counts
    first_abandoned: Counts
    queue: Counts
    in_flight: Counts
    accounted: bool
    missing: npt.NDArray[np.bool_]
    bins: Bins
    opaque: bool
    issued: Counts
    begins: int = 0

    @cached_property
    def offered(self) -> Counts:
        """Attempts that arrived in each tick, of whatever number."""
        total: Counts = self.by_attempt.sum(axis=0)
        return total

    @property
    def first_attempts(self) -> Counts:
        """First attempts in each tick. Where none is numbered, every attempt is taken for one."""
        if self.opaque:
            return self.issued
        numbered: Counts = self.by_attempt[1]
        return numbered if self.by_attempt[1:].any() else self.by_attempt[0]

    @property
    def told(self) -> bool:
        """Whether its clients told of any request: those of somebody else tell of none."""
        return bool(self.bins.issued.any())

    @property
    def queued(self) -> bool:
        """Whether attempts ever waited."""
        return bool(self.queue.any())


@dataclass(frozen=True)
class LayerSeries:
    """What arrived at one gateway for one lane, on the ticks of the target.

    `gaps` are the gateway's own ticks of which no line is there.
    """

    layer: str
    lane: str
    offered: Counts
    gaps: int


@dataclass(frozen=True)
class RunRecord:
    """A whole record. `t_s` is the beginning of each tick; `notes` say what was left out.

    `layers` stand from the outermost inward.
    """

    header: Header
    t_s: Floats
    lanes: tuple[LaneSeries, ...]
    layers: tuple[LayerSeries, ...]
    faults: tuple[Fault, ...]
    actions: tuple[Action, ...]
    health: tuple[Health, ...]
    end: End | None
    notes: tuple[str, ...]

    @property
    def tick_s(self) -> float:
        """Width of a tick and of a bin, in seconds."""
        return self.header.tick_s

    def layers_of(self, lane: str) -> tuple[LayerSeries, ...]:
        """The gateways that the attempts of a lane pass; none when nothing of it came to any."""
        found = tuple(layer for layer in self.layers if layer.lane == lane)
        return found if any(layer.offered.any() for layer in found) else ()
