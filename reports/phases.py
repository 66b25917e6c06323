"""Where in the record the dip and the observation lie. Everything else is measured against this."""

from dataclasses import dataclass

import numpy as np

from reports.record import Fault
from reports.series import Floats, RunRecord


@dataclass(frozen=True)
class Phases:
    """Intervals of a run in seconds from the anchor, each half open.

    Before the dip: ``[observe_from_s, first_dip_s)``. The dip that is measured, the last one:
    ``[dip_start_s, dip_end_s)``. The observation: ``[dip_end_s, end_s)``.
    """

    observe_from_s: float
    first_dip_s: float
    dip_start_s: float
    dip_end_s: float
    end_s: float
    dip: Fault
    dips: int

    @property
    def dip_length_s(self) -> float:
        """How long capacity was lower."""
        return self.dip_end_s - self.dip_start_s

    @property
    def observed_s(self) -> float:
        """How long the lanes were watched after the dip."""
        return max(0.0, self.end_s - self.dip_end_s)


def end_of_load_s(record: RunRecord) -> float:
    """When the load ended: the first of the last tick, the planned end, and the `end` line."""
    last = float(record.t_s[-1]) + record.tick_s if record.t_s.size else 0.0
    limits = [record.header.planned_end_s, record.end.t_s if record.end else None]
    return min([last, *(limit for limit in limits if limit is not None)])


def find_phases(record: RunRecord) -> Phases | None:
    """The phases of `record`, or `None` when capacity never dipped while it was recorded.

    Of several dips the last to end is measured, and "before the dip" is before the first.
    """
    end_s = end_of_load_s(record)
    dips = [
        fault
        for fault in record.faults
        if fault.type == "dip" and fault.end_s > fault.start_s and fault.start_s < end_s
    ]
    if not dips:
        return None
    last = max(dips, key=lambda dip: (dip.end_s, dip.start_s))
    return Phases(
        observe_from_s=record.header.observe_from_s,
        first_dip_s=min(dip.start_s for dip in dips),
        dip_start_s=last.start_s,
        dip_end_s=last.end_s,
        end_s=end_s,
        dip=last,
        dips=len(dips),
    )


def between(t_s: Floats, start_s: float, end_s: float, width_s: float) -> slice:
    """The ticks or bins of `t_s` whose middle lies in ``[start_s, end_s)``.

    By the middle, because a boundary that was rounded must not move a tick across it.
    """
    first, last = np.searchsorted(t_s + width_s / 2, (start_s, max(start_s, end_s)))
    return slice(int(first), int(last))
