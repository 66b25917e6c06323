"""What became of requests, by when they were due: rings that do not grow. Pure.

By the bins of the record, so that the rules of the report can be asked of them.
"""

import math
from array import array
from collections.abc import Iterable

from reports.record import Requests

KEPT_BINS = 12_000
"""Twenty minutes of bins of 100 ms, as of ticks."""
MAX_REASONS = 32


class _Ring:
    """The newest counts of one lane."""

    def __init__(self) -> None:
        self.issued, self.succeeded, self.attempts = _zeros(), _zeros(), _zeros()
        self.failed: dict[str, array[int]] = {}

    def all(self) -> "Iterable[array[int]]":
        return self.issued, self.succeeded, self.attempts, *self.failed.values()


class ByDue:
    """Requests and what became of them, by lane and bin of the run."""

    def __init__(self, width_s: float) -> None:
        """Nothing is counted; bins are `width_s` wide, as those of the lines."""
        self.width_s = width_s
        self.newest = -1
        """The number of the newest bin."""
        self._lanes: dict[str, _Ring] = {}

    def add(self, line: Requests) -> None:
        """Count what a line says: lines are increments."""
        index = round(line.t_s / self.width_s)
        if index < 0 or index <= self.newest - KEPT_BINS:
            return
        self._come_to(index)
        ring = self._lanes.setdefault(line.lane, _Ring())
        place = index % KEPT_BINS
        ring.issued[place] += line.issued
        ring.succeeded[place] += line.succeeded
        ring.attempts[place] += line.attempts
        for reason, number in line.failed.items():
            if reason in ring.failed or len(ring.failed) < MAX_REASONS:
                ring.failed.setdefault(reason, _zeros())[place] += number

    def _come_to(self, index: int) -> None:
        """Make room: what was counted in an older bin of the same place is forgotten."""
        for new in range(max(self.newest + 1, index - KEPT_BINS + 1), index + 1):
            for ring in self._lanes.values():
                for counts in ring.all():
                    counts[new % KEPT_BINS] = 0
        self.newest = max(self.newest, index)

    @property
    def oldest(self) -> int:
        """The number of the oldest bin that is kept."""
        return max(0, self.newest - KEPT_BINS + 1)

    def total(self, lane: str, start_s: float, end_s: float = math.inf) -> Requests:
        """The sum of the kept bins of a lane whose middles lie in ``[start_s, end_s)``."""
        total = Requests(start_s, lane)
        ring = self._lanes.get(lane)
        if ring is None:
            return total
        first = max(self.oldest, self._from(start_s))
        last = self.newest if end_s == math.inf else min(self.newest, self._from(end_s) - 1)
        places = [index % KEPT_BINS for index in range(first, last + 1)]
        total.issued = sum(ring.issued[place] for place in places)
        total.succeeded = sum(ring.succeeded[place] for place in places)
        total.attempts = sum(ring.attempts[place] for place in places)
        for reason, counts in ring.failed.items():
            total.failed[reason] = sum(counts[place] for place in places)
        return total

    def _from(self, t_s: float) -> int:
        """The first bin whose middle is not before `t_s`."""
        return math.ceil(t_s / self.width_s - 0.5 - 1e-6)

    def kept(self, lane: str) -> "tuple[array[int], array[int], dict[str, array[int]]]":
        """Issued, succeeded and failed by reason in each bin from `oldest` to `newest`."""
        ring = self._lanes.get(lane) or _Ring()
        failed = {reason: self._in_order(counts) for reason, counts in ring.failed.items()}
        return self._in_order(ring.issued), self._in_order(ring.succeeded), failed

    def _in_order(self, counts: "array[int]") -> "array[int]":
        first, last = self.oldest % KEPT_BINS, self.newest % KEPT_BINS + 1
        if self.newest < 0:
            return counts[:0]
        return counts[first:last] if first < last else counts[first:] + counts[:last]


def _zeros() -> "array[int]":
    return array("l", bytes(array("l").itemsize * KEPT_BINS))
