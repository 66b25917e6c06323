"""Did the service fail by itself, where nobody planned it?"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from reports.folding.phases import Phases, between, concerns
from reports.folding.windows import window_ticks
from reports.reading.series import LaneSeries, RunRecord
from reports.text import noun

FAILING = frozenset({"error", "hang", "reset", "cut"})
"""Faults that make attempts fail: that is what they are for."""
MAX_FAILED = 0.1
FEW = 5
"""Attempts in a window that may fail by chance, as on a connection that closed just then."""


def outages(record: RunRecord, phases: Phases) -> Iterator[str]:
    """In some second the service failed more than a tenth of what it answered, beyond the usual.

    What a gate turns away is no failure: these had no answer of the service, or half of one. Its
    outage is a disturbance of its own, and no figure tells what it set off from what the trigger
    did. A lane that a planned fault struck is not asked: the two are not told apart there.
    """
    after = between(record.t_s, phases.first_s, phases.end_s, record.tick_s)
    found = np.zeros(record.t_s.size, dtype=bool)
    failed = 0
    for lane in record.lanes:
        if any(fault.type in FAILING and concerns(fault, lane.lane) for fault in record.faults):
            continue
        down = np.zeros(record.t_s.size, dtype=bool)
        down[after] = _down(lane, phases, record)[after]
        found |= down
        failed += int(lane.failed[down].sum())
    if not found.any():
        return
    ticks = np.flatnonzero(found)
    since_s = float(record.t_s[ticks[0]]) - phases.over_s
    until_s = float(record.t_s[ticks[-1]]) + record.tick_s - phases.over_s
    yield (
        f"the service failed by itself: {failed:,} attempts had no answer of it, or half of one, "
        f"between {since_s:+.1f} s and {until_s:+.1f} s from the end of the "
        f"{noun(phases.trigger.type)}, and no fault was planned there"
    )


def _down(lane: LaneSeries, phases: Phases, record: RunRecord) -> npt.NDArray[np.bool_]:
    """The ticks with failures in the windows in which too many failed."""
    before = between(record.t_s, phases.observe_from_s, phases.first_s, record.tick_s)
    usual = lane.failed[before].sum() / max(1, lane.completed[before].sum())
    window = np.ones(window_ticks(record.tick_s), dtype=np.int64)
    failed, answered = (
        np.convolve(counts, window)[: counts.size] for counts in (lane.failed, lane.completed)
    )
    bad = (failed > FEW) & (failed > (usual + MAX_FAILED) * answered)
    # A window ends with its tick: all the ticks in a bad one are concerned.
    near = np.convolve(bad[::-1], window)[: bad.size][::-1] > 0
    down: npt.NDArray[np.bool_] = near & (lane.failed > 0)
    return down
