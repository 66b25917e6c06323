"""One lane in the bins of a chart: a ring of numbers that does not grow. Pure."""

import math
from array import array
from dataclasses import dataclass

from faults.wire import LaneTick

LAYERS = 6
"""Attempts of unknown number, first ones, first, second and third retries, later ones."""
_TICKS, _CAPACITY, _QUEUE, _WIDTH = LAYERS, LAYERS + 1, LAYERS + 2, LAYERS + 3
_UNUSED = -1


@dataclass(frozen=True, slots=True)
class Bin:
    """Means over a bin, per second; `queue` is the longest in it. `ticks` are those in it."""

    ticks: int
    offered_per_s: tuple[float, ...]
    capacity_per_s: float
    queue: int


class LaneBins:
    """The newest `size` bins of `bin_s` seconds of one lane."""

    def __init__(self, size: int, bin_s: float) -> None:
        """All are empty."""
        self._size = size
        self._bin_s = bin_s
        self._values = array("d", bytes(8 * size * _WIDTH))
        self._index = array("q", [_UNUSED] * size)

    def add(self, middle_s: float, tick: LaneTick) -> None:
        """A tick whose middle is at `middle_s`."""
        index = math.floor(middle_s / self._bin_s + 1e-9)
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

    def at(self, index: int, tick_s: float) -> Bin | None:
        """A bin by its number; None where the lane has no tick in it, or it is too old."""
        place = index % self._size
        if self._index[place] != index:
            return None
        first = place * _WIDTH
        values = self._values[first : first + _WIDTH]
        ticks = int(values[_TICKS])
        per_s = 1.0 / (ticks * tick_s)
        return Bin(
            ticks,
            tuple(values[layer] * per_s for layer in range(LAYERS)),
            values[_CAPACITY] / ticks,
            int(values[_QUEUE]),
        )
