"""One lane of a record, and where in it lies what is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reports.folding.phases import Phases, between, end_of_load_s
from reports.reading.series import Floats, LaneSeries, RunRecord


def usual_capacity(before: Floats, after: Floats) -> float:
    """The median before the first disturbance, or after the trigger if none was seen before."""
    known = before if before.size else after
    return float(np.median(known)) if known.size else 0.0


@dataclass(frozen=True)
class View:
    """One lane of a record, and where in it what lies.

    `span_s` is what of the run is counted, in seconds from the anchor; `None`: all of it.
    `going_on`: it is not over.
    """

    record: RunRecord
    lane: LaneSeries
    phases: Phases | None
    span_s: tuple[float, float] | None = None
    going_on: bool = False

    @property
    def tick_s(self) -> float:
        """Width of a tick and of a bin."""
        return self.record.tick_s

    @property
    def counted_s(self) -> tuple[float, float]:
        """From when to when it is counted."""
        return self.span_s or (self.record.header.observe_from_s, end_of_load_s(self.record))

    @cached_property
    def run(self) -> slice:
        """The ticks in which it is counted."""
        return self.ticks(*self.counted_s)

    @property
    def own(self) -> slice:
        """Those of them from where the lane appeared: a window that reaches back has less in it."""
        return self._own(self.run)

    @cached_property
    def before(self) -> slice:
        """The ticks before the first disturbance; all of the run without one.

        But for those before the lane appeared: that it had no load then says nothing of its noise.
        """
        phases = self.phases
        found = self.ticks(phases.observe_from_s, phases.first_s) if phases else self.run
        return self._own(found)

    @cached_property
    def usual(self) -> float:
        """The capacity to come back to, a tick: its median before, or later if none was seen."""
        phases = self.phases
        after = self.ticks(phases.over_s, phases.end_s) if phases else slice(0, 0)
        return usual_capacity(self.lane.capacity[self.before], self.lane.capacity[after])

    @property
    def gone_work_done(self) -> bool:
        """Whether attempts whose clients have gone are finished all the same, as is usual."""
        header = self.record.header
        target = header.target or header.scenario.get("target")
        return not isinstance(target, Mapping) or target.get("abandoned", "finish") == "finish"

    def _own(self, found: slice) -> slice:
        """The ticks from where the lane appeared."""
        return slice(min(max(found.start, self.lane.begins), found.stop), found.stop)

    def ticks(self, start_s: float, end_s: float) -> slice:
        """The ticks in ``[start_s, end_s)``."""
        return between(self.record.t_s, start_s, end_s, self.tick_s)

    def bins(self, start_s: float, end_s: float) -> slice:
        """The bins in ``[start_s, end_s)``."""
        return between(self.lane.bins.t_s, start_s, end_s, self.tick_s)
