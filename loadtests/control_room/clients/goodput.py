"""Goodput and failed requests per second, on the bins of a chart."""

from array import array
from collections.abc import Sequence

import numpy as np

from loadtests.control_room.clients.tally import ClientTally
from reports.reading.series import Counts

Rates = list[float | None]


class Goodput:
    """What the clients counted by second, drawn on bins that begin at multiples of `bin_s`.

    A bin shorter than a second has the rate of the second that its middle lies in, a longer one
    the mean of the seconds that begin in it. None where no run of ours was counted.
    """

    def __init__(
        self, tally: ClientTally, indices: Sequence[int], bin_s: float, zero_epoch_s: float
    ) -> None:
        """Bin 0 begins at `zero_epoch_s`."""
        self._tally = tally
        starts_s = zero_epoch_s + np.asarray(indices, np.float64) * bin_s
        self._starts_s, self._bin_s = starts_s, bin_s

    def newest(self, lane: str) -> tuple[float | None, float | None]:
        """Succeeded and failed requests in the newest second that all have told of."""
        found = self._tally.seconds(lane, self._tally.counted_until_s() - 0.5)
        return (found.succeeded[-1], found.failed[-1]) if found.succeeded else (None, None)

    def series(self, lane: str) -> tuple[Rates, Rates]:
        """Succeeded and failed requests per second, for each bin."""
        if self._tally.run is None or not self._starts_s.size:
            none: Rates = [None] * self._starts_s.size
            return none, none
        found = self._tally.seconds(lane, max(0.0, float(self._starts_s[0]) - 1.0))
        starts_s = self._starts_s - found.start_epoch_s
        if self._bin_s <= 1.0:
            first = np.floor(starts_s + self._bin_s / 2).astype(np.int64)
            last = first + 1
        else:
            first = np.ceil(starts_s - 1e-6).astype(np.int64)
            last = np.ceil(starts_s + self._bin_s - 1e-6).astype(np.int64)
        return _means(found.succeeded, first, last), _means(found.failed, first, last)


def _means(counts: "array[int]", first: Counts, last: Counts) -> Rates:
    """The mean of ``counts[first:last]`` for each pair; None where it is empty."""
    total = np.concatenate(([0], np.cumsum(np.array(counts, np.int64))))
    first, last = np.clip(first, 0, len(counts)), np.clip(last, 0, len(counts))
    numbers = last - first
    means = (total[last] - total[first]) / np.maximum(1, numbers)
    return [
        mean if number else None
        for mean, number in zip(np.round(means, 2).tolist(), numbers.tolist(), strict=True)
    ]
