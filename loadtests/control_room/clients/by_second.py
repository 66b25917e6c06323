"""What became of requests, by the second in which it was counted: rings that do not grow. Pure."""

from array import array

from reports.record import Requests

KEPT_S = 3700
"""Seconds kept: the hour that is drawn, and a little."""

BEHIND_S = 60
"""More than the second that all have told of can be behind the newest."""


class BySecond:
    """Requests that succeeded and that failed, by lane and second of the run."""

    def __init__(self) -> None:
        """Nothing is counted."""
        self._newest = -1
        self._good: dict[str, array[int]] = {}
        self._bad: dict[str, array[int]] = {}

    def add(self, line: Requests, second: int) -> None:
        """Count what a line says in this second: lines are increments."""
        failed = sum(line.failed.values()) if line.failed else 0
        if second <= self._newest - KEPT_S or second < 0 or not (line.succeeded or failed):
            return
        self._come_to(second)
        if line.lane not in self._good:
            self._good[line.lane] = array("q", bytes(8 * KEPT_S))
            self._bad[line.lane] = array("q", bytes(8 * KEPT_S))
        place = second % KEPT_S
        self._good[line.lane][place] += line.succeeded
        self._bad[line.lane][place] += failed

    def _come_to(self, second: int) -> None:
        """Make room: what was counted in an older second of the same place is forgotten."""
        for new in range(max(self._newest + 1, second - KEPT_S + 1), second + 1):
            for ring in (*self._good.values(), *self._bad.values()):
                ring[new % KEPT_S] = 0
        self._newest = max(self._newest, second)

    def of(self, lane: str, begin: int, end: int) -> "tuple[array[int], array[int]]":
        """Succeeded and failed in each second of ``[begin, end)``, which must be kept."""
        none = array("q", bytes(8 * max(0, end - begin)))
        if lane not in self._good:
            return none, none
        known = max(begin, min(end, self._newest + 1))
        rest = none[: end - known]
        return (
            _cut(self._good[lane], begin, known) + rest,
            _cut(self._bad[lane], begin, known) + rest,
        )


def oldest_kept(end: int) -> int:
    """The first second of those that are kept when second `end` begins."""
    return max(0, end - KEPT_S + BEHIND_S)


def _cut(ring: "array[int]", begin: int, end: int) -> "array[int]":
    if end <= begin:
        return array("q")
    first, last = begin % KEPT_S, (end - 1) % KEPT_S + 1
    return ring[first:last] if first < last else ring[first:] + ring[:last]
