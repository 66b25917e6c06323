"""Where in the record a lane's trigger and observation lie: all else is measured against this."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reports.folding.windows import HOLD_S, WINDOW_S
from reports.reading.series import Floats, RunRecord
from reports.record import Action, Fault


@dataclass(frozen=True)
class Phases:
    """Intervals of a run in seconds from the anchor, each half open.

    Before: ``[observe_from_s, first_s)``, up to the first disturbance of the run. The trigger,
    which is the last of the `disturbances`, or the last `group` of them that overlapped or followed
    each other at once: ``[start_s, over_s)``. The observation: ``[over_s, end_s)``.
    """

    observe_from_s: float
    first_s: float
    end_s: float
    group: tuple[Fault, ...]
    disturbances: tuple[Fault, ...]

    @property
    def trigger(self) -> Fault:
        """The disturbance that was the last to end."""
        return max(self.group, key=lambda fault: (fault.end_s, fault.start_s))

    @property
    def begin_s(self) -> float:
        """When the first of the disturbances began."""
        return min(fault.start_s for fault in self.disturbances)

    @property
    def start_s(self) -> float:
        """When the trigger began."""
        return min(fault.start_s for fault in self.group)

    @property
    def over_s(self) -> float:
        """When the trigger was over."""
        return self.trigger.end_s

    @property
    def length_s(self) -> float:
        """How long the trigger was."""
        return self.over_s - self.start_s

    @property
    def observed_s(self) -> float:
        """How long the load was watched after the trigger."""
        return max(0.0, self.end_s - self.over_s)


def too_soon(phases: Phases, tick_s: float) -> bool:
    """Whether it was watched for less than it takes to call a lane settled."""
    return phases.observed_s < HOLD_S + WINDOW_S - tick_s / 2


def end_of_load_s(record: RunRecord) -> float:
    """When the load ended: the first of the last tick, the planned end, and the `end` line."""
    last = float(record.t_s[-1]) + record.tick_s if record.t_s.size else 0.0
    limits = [record.header.planned_end_s, record.end.t_s if record.end else None]
    return min([last, *(limit for limit in limits if limit is not None)])


def concerns(span: Fault | Action, lane: str | None) -> bool:
    """Whether a fault or an action was meant for this lane; `None` is any lane."""
    return lane is None or span.lanes is None or lane in span.lanes


def find_phases(record: RunRecord, lane: str | None = None) -> Phases | None:
    """The phases of `lane`, or of the whole run; `None` when nothing disturbed it.

    Recovery is measured after the last of several triggers, and "before" is before the first.
    """
    found = _disturbances(record, lane)
    return _phases(record, found, found, end_of_load_s(record)) if found else None


def find_episodes(record: RunRecord, lane: str | None = None) -> tuple[Phases, ...]:
    """The same for each trigger by itself, watched until the next one begins.

    Disturbances that overlap, or follow each other without a tick between them, are one trigger.
    "Before" is before the first of all: what the lane was like when nothing had happened yet.
    """
    every = _disturbances(record, lane)
    if not every:
        return ()
    groups = together(every, record.tick_s)
    ends_s = [*(group[0].start_s for group in groups[1:]), end_of_load_s(record)]
    return tuple(
        _phases(record, every, group, end_s) for group, end_s in zip(groups, ends_s, strict=True)
    )


def together(disturbances: Iterable[Fault], tick_s: float) -> tuple[tuple[Fault, ...], ...]:
    """Those that overlap, or have less than a tick between them, by the time of their begin."""
    groups: list[list[Fault]] = []
    over_s = 0.0
    for fault in sorted(disturbances, key=lambda fault: fault.start_s):
        # A difference of times that were rounded is a little less than a tick, or more.
        if groups and fault.start_s - over_s < tick_s * (1 - 1e-6):
            groups[-1].append(fault)
        else:
            groups.append([fault])
        over_s = max(over_s, fault.end_s)
    return tuple(map(tuple, groups))


def _disturbances(record: RunRecord, lane: str | None) -> tuple[Fault, ...]:
    """Those of the run that concern the lane, and were not over before it appeared."""
    end_s, since_s = end_of_load_s(record), _since_s(record, lane)
    return tuple(
        fault
        for fault in record.faults
        if fault.end_s > max(fault.start_s, since_s)
        and fault.start_s < end_s
        and concerns(fault, lane)
    )


def _since_s(record: RunRecord, lane: str | None) -> float:
    """The middle of the first tick of a lane, which may have none; of any lane, whenever."""
    begins = [one.begins for one in record.lanes if one.lane == lane]
    if not begins:
        return -math.inf
    if begins[0] >= record.t_s.size:
        return math.inf
    return float(record.t_s[begins[0]]) + record.tick_s / 2


def _phases(
    record: RunRecord, every: tuple[Fault, ...], found: tuple[Fault, ...], end_s: float
) -> Phases:
    return Phases(
        observe_from_s=record.header.observe_from_s,
        first_s=min(fault.start_s for fault in every),
        end_s=end_s,
        group=together(found, record.tick_s)[-1],
        disturbances=found,
    )


def between(t_s: Floats, start_s: float, end_s: float, width_s: float) -> slice:
    """The ticks or bins of `t_s` whose middle lies in ``[start_s, end_s)``.

    By the middle, because a boundary that was rounded must not move a tick across it.
    """
    first, last = np.searchsorted(t_s + width_s / 2, (start_s, max(start_s, end_s)))
    return slice(int(first), int(last))
