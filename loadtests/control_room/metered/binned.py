"""One lane in the bins of a chart: a ring of numbers that does not grow. Pure."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from faults.wire import LaneTick
from reports.reading.series import Counts, Floats

LAYERS = 6
"""Attempts of unknown number, first ones, first, second and third retries, later ones."""
_TICKS, _CAPACITY, _QUEUE, _WIDTH = LAYERS, LAYERS + 1, LAYERS + 2, LAYERS + 3
_UNUSED = -1


@dataclass(frozen=True)
class Drawn:
    """Bins in order: means over each, per second, and the longest queue in it.

    `known` says where the lane has any tick; elsewhere all numbers are 0.
    """

    known: "npt.NDArray[np.bool_]"
    offered_per_s: Floats
    capacity_per_s: Floats
    queue: Counts


class LaneBins:
    """The newest `size` bins of one lane."""

    def __init__(self, size: int) -> None:
        """All are empty."""
        self._size = size
        self._values = array("d", bytes(8 * size * _WIDTH))
        self._index = array("q", [_UNUSED] * size)

    def add(self, index: int, tick: LaneTick) -> None:
        """A tick in the bin of this number."""
        place = index % self._size
        first = place * _WIDTH
        values = self._values
        if self._index[place] != index:
            self._index[place] = index
            for number in range(first, first + _WIDTH):
                values[number] = 0.0
        for attempt, count in enumerate(tick.offered):
            if count:
                values[first + min(attempt, LAYERS - 1)] += count
        values[first + _TICKS] += 1
        values[first + _CAPACITY] += tick.capacity_per_s
        values[first + _QUEUE] = max(values[first + _QUEUE], tick.queue)

    def drawn(self, indices: Sequence[int], tick_s: float) -> Drawn:
        """These bins, by their numbers."""
        wanted = np.asarray(indices, np.int64)
        places = wanted % self._size
        known = np.frombuffer(self._index, np.int64)[places] == wanted
        values = np.frombuffer(self._values, np.float64).reshape(self._size, _WIDTH)[places]
        values[~known] = 0.0
        ticks = np.maximum(1.0, values[:, _TICKS])
        return Drawn(
            known,
            values[:, :LAYERS] / (ticks * tick_s)[:, np.newaxis],
            values[:, _CAPACITY] / ticks,
            values[:, _QUEUE].astype(np.int64),
        )
