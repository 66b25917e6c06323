"""The ticks of a lane as columns of numbers."""

from collections.abc import Sequence

import numpy as np

from loadtests.simulation.metered import METERED, Metered
from reports.reading.series import Counts
from target_service.meter import LaneTick

_LEAST_ROWS = 2
"""Unknown attempt numbers, and first attempts."""


def metered(ticks: Sequence[LaneTick]) -> Metered:
    """All ticks of a lane, from the first."""
    counts = {name: table([getattr(tick, name) for tick in ticks]) for name in METERED}
    rows = max(counts[name].shape[0] for name in METERED)
    return Metered(
        **{name: _taller(found, rows) for name, found in counts.items()},
        capacity_per_s=np.array([tick.capacity_per_s for tick in ticks], np.float64),
        queue=np.array([tick.queue for tick in ticks], np.int64),
        in_flight=np.array([tick.in_flight for tick in ticks], np.int64),
    )


def table(ticks: Sequence[Sequence[int]]) -> Counts:
    """A row an attempt number and a column a tick, from the counts of each tick."""
    rows = max(_LEAST_ROWS, max((len(counts) for counts in ticks), default=0))
    found = np.zeros((rows, len(ticks)), np.int64)
    for tick, counts in enumerate(ticks):
        found[: len(counts), tick] = counts
    return found


def _taller(counts: Counts, rows: int) -> Counts:
    return np.pad(counts, ((0, rows - counts.shape[0]), (0, 0)))
