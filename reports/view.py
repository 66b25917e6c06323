"""One lane of a record, and where in it lies what is measured."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reports.phases import Phases, between, end_of_load_s
from reports.series import LaneSeries, RunRecord


@dataclass(frozen=True)
class View:
    """One lane of a record, and where in it what lies."""

    record: RunRecord
    lane: LaneSeries
    phases: Phases | None

    @property
    def tick_s(self) -> float:
        """Width of a tick and of a bin."""
        return self.record.tick_s

    @cached_property
    def run(self) -> slice:
        """The ticks in which the load is looked at."""
        return self.ticks(self.record.header.observe_from_s, end_of_load_s(self.record))

    @cached_property
    def before(self) -> slice:
        """The ticks before the first disturbance; all of the run without one."""
        if self.phases is None:
            return self.run
        return self.ticks(self.phases.observe_from_s, self.phases.first_s)

    @cached_property
    def usual(self) -> float:
        """The capacity to come back to, a tick: its median before, or later if none was seen."""
        known = self.lane.capacity[self.before]
        if not known.size and self.phases:
            known = self.lane.capacity[self.ticks(self.phases.over_s, self.phases.end_s)]
        return float(np.median(known)) if known.size else 0.0

    def ticks(self, start_s: float, end_s: float) -> slice:
        """The ticks in ``[start_s, end_s)``."""
        return between(self.record.t_s, start_s, end_s, self.tick_s)

    def bins(self, start_s: float, end_s: float) -> slice:
        """The bins in ``[start_s, end_s)``."""
        return between(self.lane.bins.t_s, start_s, end_s, self.tick_s)
