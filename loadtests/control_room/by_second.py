"""What became of requests, by the second in which it was counted. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.record import Requests

KEPT_S = 3700
"""Seconds kept: the hour that is drawn, and a little."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Requests that ended in one second."""

    succeeded: int = 0
    failed: int = 0


NOTHING_COUNTED = Counted()


class BySecond:
    """Counts by lane and second of the run; the oldest are forgotten."""

    def __init__(self) -> None:
        self._lanes: dict[str, dict[int, Counted]] = {}

    def add(self, line: Requests, second: int) -> None:
        """Count what a line says in this second: lines are increments."""
        failed = line.failed.total() if line.failed else 0
        if not (line.succeeded or failed):
            return
        own = self._lanes.setdefault(line.lane, {})
        before = own.get(second, NOTHING_COUNTED)
        own[second] = Counted(before.succeeded + line.succeeded, before.failed + failed)
        if len(own) > KEPT_S:
            del own[min(own)]

    def of(self, lane: str) -> Mapping[int, Counted]:
        """The seconds of a lane in which anything was counted."""
        return self._lanes.get(lane, {})

    @staticmethod
    def oldest(end: int) -> int:
        """The first second of those kept when second `end` begins."""
        return max(0, end - KEPT_S)
