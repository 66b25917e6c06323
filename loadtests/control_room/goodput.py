"""Goodput and failed requests per second, on the bins of a chart."""

import math
from collections.abc import Sequence

from loadtests.control_room.tally import ClientTally

Rates = list[float | None]


class Goodput:
    """What the clients counted by second, drawn on bins that begin at multiples of `bin_s`.

    A bin shorter than a second has the rate of the second that its middle lies in, a longer one
    the mean of the seconds that begin in it. None where no run of ours was counted.
    """

    def __init__(
        self, tally: ClientTally, indices: Sequence[int], bin_s: float, zero_epoch_s: float
    ) -> None:
        self._tally = tally
        self._indices = indices
        self._bin_s = bin_s
        self._zero_s = zero_epoch_s

    def newest(self, lane: str) -> tuple[float | None, float | None]:
        """Succeeded and failed requests in the newest second that all have told of."""
        found = self._tally.seconds(lane, self._tally.counted_until_s() - 1.0)
        return (found[-1][1].succeeded, found[-1][1].failed) if found else (None, None)

    def series(self, lane: str) -> tuple[Rates, Rates]:
        """Succeeded and failed requests per second, for each bin."""
        run = self._tally.run
        if run is None or not self._indices:
            return [None] * len(self._indices), [None] * len(self._indices)
        anchor_s = run.anchor_epoch_s
        begin_s = self._zero_s + self._indices[0] * self._bin_s
        seconds = {
            round(start_s - anchor_s): counted
            for start_s, counted in self._tally.seconds(lane, max(0.0, begin_s - 1.0))
        }
        good: Rates = []
        bad: Rates = []
        for index in self._indices:
            start_s = self._zero_s + index * self._bin_s - anchor_s
            own = [seconds[number] for number in self._seconds(start_s) if number in seconds]
            good.append(sum(one.succeeded for one in own) / len(own) if own else None)
            bad.append(sum(one.failed for one in own) / len(own) if own else None)
        return good, bad

    def _seconds(self, start_s: float) -> range:
        """The seconds of the run that a bin shows."""
        if self._bin_s <= 1.0:
            middle = math.floor(start_s + self._bin_s / 2)
            return range(middle, middle + 1)
        return range(math.ceil(start_s - 1e-6), math.ceil(start_s + self._bin_s - 1e-6))
