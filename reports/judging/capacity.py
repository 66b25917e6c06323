"""Capacity that was changed by no dip: somebody set it, and no other line of the record says so.

Where workers take as long as an app of its own, capacity is not set but measured, and is another
after every answer: of such a lane nothing is said.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from aftershock_units import format_rate
from reports.folding.phases import between, concerns, end_of_load_s, find_phases
from reports.reading.series import LaneSeries, RunRecord
from reports.record import Action
from reports.text import names_of

MEASURED_SHARE = 0.05
"""A capacity that changes in more of the ticks with an answer than this was not set by anybody."""
LEAST_CHANGE = 1e-3
"""As a share: a smaller change moves no figure of the report."""
UNSURE_S = 1.0
"""At the end of a record without an end a dip may be metered whose own line is not there yet."""
TOLD, LISTED = 3, 20


@dataclass(frozen=True)
class Change:
    """A lane's capacity, per second, before and after; in force in ``[at_s, until_s)``.

    `unseen` says that it was changed while a dip was in force: it shows from the dip's end on.
    `lanes` are all that changed alike, and None every lane.
    """

    at_s: float
    until_s: float
    before_per_s: float
    after_per_s: float
    unseen: bool
    lanes: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """``from 100/s to 80/s``."""
        return f"from {format_rate(self.before_per_s)} to {format_rate(self.after_per_s)}"

    @property
    def action(self) -> Action:
        """As what somebody did."""
        return Action("capacity", "", self.at_s, self.until_s, self.lanes, self.text)


def changes_of(record: RunRecord) -> tuple[Change, ...]:
    """Every change from where the run is looked at to the end of the load, in order of time."""
    alike: dict[Change, list[str]] = {}
    for lane in record.lanes:
        for change in _changes(record, lane):
            alike.setdefault(change, []).append(lane.lane)
    every = len(record.lanes)
    found = (
        replace(change, lanes=tuple(names) if len(names) < every else None)
        for change, names in alike.items()
    )
    return tuple(sorted(found, key=lambda change: (change.at_s, change.lanes or ())))


def _changes(record: RunRecord, lane: LaneSeries) -> Iterator[Change]:
    """Those of one lane: its capacity in the ticks without a dip, each held against the last."""
    end_s = end_of_load_s(record)
    sure_s = end_s if record.end else end_s - UNSURE_S
    free = np.zeros(record.t_s.size, np.bool_)
    free[between(record.t_s, record.header.observe_from_s, sure_s, record.tick_s)] = True
    free[: lane.begins] = False
    for fault in record.faults:
        if fault.type == "dip" and concerns(fault, lane.lane):
            free[between(record.t_s, fault.start_s, fault.end_s, record.tick_s)] = False
    ticks = np.flatnonzero(free & ~lane.missing)
    per_s = lane.capacity[ticks] / record.tick_s
    answered = int((lane.completed[ticks] > 0).sum())
    # By however little: the mean of millions of answers hardly moves any more.
    if not 0 < int((np.diff(per_s) != 0).sum()) <= MEASURED_SHARE * answered:
        return
    places = np.flatnonzero(~np.isclose(per_s[1:], per_s[:-1], rtol=LEAST_CHANGE)) + 1
    moments = [round(float(record.t_s[ticks[place]]), 6) for place in places]
    for place, at_s, until_s in zip(places, moments, [*moments[1:], end_s], strict=True):
        before, after = round(float(per_s[place - 1]), 6), round(float(per_s[place]), 6)
        unseen = not free[ticks[place - 1] : ticks[place]].all()
        yield Change(at_s, until_s, before, after, unseen)


def note_on(changes: tuple[Change, ...]) -> str | None:
    """What was changed, in a sentence; of many the first few and how many more."""
    if not changes:
        return None
    told = ", ".join(
        f"of {_lanes(change)} {change.text} {_when(change)}" for change in changes[:TOLD]
    )
    more = len(changes) - TOLD
    if more > 0:
        told += f" and {more:,} {'time' if more == 1 else 'times'} more"
    return (
        f"The capacity was changed by no dip, {told}: what a lane did from then on may be due to "
        f"that, and not to its policy."
    )


def rebased(record: RunRecord) -> Iterator[str]:
    """A capacity that was changed while recovery was measured: before was another service."""
    changes = changes_of(record)
    for change in changes:
        for lane in record.lanes:
            phases = find_phases(record, lane.lane)
            meant = change.lanes is None or lane.lane in change.lanes
            if meant and phases and phases.first_s <= change.at_s < phases.end_s:
                yield (
                    f"the capacity of {_lanes(change)} was changed {change.text} "
                    f"{_when(change)}, by no dip: the load before is no measure for what came after"
                )
                return


def _lanes(change: Change) -> str:
    return "every lane" if change.lanes is None else names_of(change.lanes)


def _when(change: Change) -> str:
    place = f"{change.at_s:.1f} s of the run"
    return f"in a dip that ended at {place}" if change.unseen else f"at {place}"
