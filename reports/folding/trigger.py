"""What recovery is measured after: a dip, a spike or another fault, as the report shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.folding.phases import Phases, between
from reports.reading.series import LaneSeries, RunRecord
from reports.record import Action, Fault

MIXED = "mixed"
"""The type of several disturbances that are one trigger, and not of one type."""


@dataclass(frozen=True)
class Trigger:
    """The last disturbance, or those that are one, in seconds from the anchor.

    `capacity_per_s` is the lowest capacity in force in a dip; `text` what any other type did.
    `count` is how many disturbances there were, and `together` how many of them this is: they
    overlapped, or followed each other at once. `type` is `MIXED` where they are not of one.
    """

    type: str
    start_s: float
    end_s: float
    capacity_per_s: float | None
    shape: str
    text: str
    lanes: tuple[str, ...] | None
    count: int
    together: int = 1

    @property
    def length_s(self) -> float:
        """How long it was."""
        return self.end_s - self.start_s

    def same_as(self, other: "Trigger | None") -> bool:
        """Whether both are one disturbance, or two of the same kind at the same time."""
        return other is not None and (self.type, self.start_s, self.end_s, self.text) == (
            other.type, other.start_s, other.end_s, other.text
        )  # fmt: skip


@dataclass(frozen=True)
class Event:
    """A fault or an operator's action in the time of a lane: seconds after the trigger's end."""

    type: str
    text: str
    start_s: float
    end_s: float


def trigger_of(record: RunRecord, phases: Phases, lane: LaneSeries | None = None) -> Trigger:
    """The trigger of a lane, or of the whole run."""
    group = phases.group
    dips = [fault for fault in group if fault.type == "dip"]
    types = {fault.type for fault in group}
    texts = dict.fromkeys(fault.text or fault.capacity for fault in group)
    return Trigger(
        type=MIXED if len(types) > 1 else phases.trigger.type,
        start_s=phases.start_s,
        end_s=phases.over_s,
        capacity_per_s=_lowest(record, phases, lane) if dips else None,
        shape="ramp" if any(dip.shape == "ramp" for dip in dips) else "step",
        text="; ".join(filter(None, texts)),
        lanes=_meant(group),
        count=len(phases.disturbances),
        together=len(group),
    )


def _meant(group: Sequence[Fault]) -> tuple[str, ...] | None:
    """All lanes that any was meant for; `None` where one was meant for all."""
    lanes: dict[str, None] = {}
    for fault in group:
        if fault.lanes is None:
            return None
        lanes |= dict.fromkeys(fault.lanes)
    return tuple(lanes)


def event_of(span: Fault | Action, origin_s: float) -> Event:
    """A fault or an action in seconds after `origin_s`."""
    text = span.text or (span.capacity if isinstance(span, Fault) else "")
    return Event(span.type, text, span.start_s - origin_s, span.end_s - origin_s)


def _lowest(record: RunRecord, phases: Phases, lane: LaneSeries | None) -> float | None:
    """The lowest capacity in force in the dip; `None` when no tick was recorded in it."""
    inside = between(record.t_s, phases.start_s, phases.over_s, record.tick_s)
    meant = _meant([fault for fault in phases.group if fault.type == "dip"])
    lowest = [
        float(one.capacity[inside].min()) / record.tick_s
        for one in ((lane,) if lane else record.lanes)
        if one.capacity[inside].size and (meant is None or one.lane in meant)
    ]
    return round(min(lowest), 6) if lowest else None
