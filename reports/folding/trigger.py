"""What recovery is measured after: a dip, a spike or another fault, as the report shows it."""

from dataclasses import dataclass

from reports.folding.phases import Phases, between
from reports.reading.series import LaneSeries, RunRecord
from reports.record import Action, Fault


@dataclass(frozen=True)
class Trigger:
    """The last disturbance to end, in seconds from the anchor.

    `capacity_per_s` is the lowest capacity in force in a dip; `text` what any other type did.
    `count` is how many disturbances there were, this one included.
    """

    type: str
    start_s: float
    end_s: float
    capacity_per_s: float | None
    shape: str
    text: str
    lanes: tuple[str, ...] | None
    count: int

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
    fault = phases.trigger
    return Trigger(
        type=fault.type,
        start_s=fault.start_s,
        end_s=fault.end_s,
        capacity_per_s=_lowest(record, phases, lane) if fault.type == "dip" else None,
        shape=fault.shape if fault.type == "dip" else "step",
        text=fault.text or fault.capacity,
        lanes=fault.lanes,
        count=len(phases.disturbances),
    )


def event_of(span: Fault | Action, origin_s: float) -> Event:
    """A fault or an action in seconds after `origin_s`."""
    text = span.text or (span.capacity if isinstance(span, Fault) else "")
    return Event(span.type, text, span.start_s - origin_s, span.end_s - origin_s)


def _lowest(record: RunRecord, phases: Phases, lane: LaneSeries | None) -> float | None:
    """The lowest capacity in force in the dip; `None` when no tick was recorded in it."""
    inside = between(record.t_s, phases.start_s, phases.over_s, record.tick_s)
    meant = phases.trigger.lanes
    lowest = [
        float(one.capacity[inside].min()) / record.tick_s
        for one in ((lane,) if lane else record.lanes)
        if one.capacity[inside].size and (meant is None or one.lane in meant)
    ]
    return round(min(lowest), 6) if lowest else None
