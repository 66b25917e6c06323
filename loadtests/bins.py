"""What the clients saw, counted where it arose: per bin and lane, by the time a request was due.

Pure: time is an argument, in seconds from the anchor. Memory grows with time and lanes until
the next `drain`, never with requests.
"""

import math

from loadtests.policies import StopReason
from reports.record import Health, Requests, bucket_of


class ClientBins:
    """Increments of the `requests` lines since the last `drain`."""

    def __init__(self, width_s: float) -> None:
        """Bins of `width_s` seconds."""
        self._width_s = width_s
        self._bins: dict[tuple[str, int], Requests] = {}

    def issued(self, lane: str, due_s: float) -> None:
        """A request became due."""
        self._bin(lane, due_s).issued += 1

    def attempted(self, lane: str, due_s: float) -> None:
        """An attempt of the request due at `due_s` is leaving."""
        self._bin(lane, due_s).attempts += 1

    def ended(self, lane: str, due_s: float, now_s: float, reason: StopReason) -> None:
        """The request is over; it took from `due_s` to `now_s`."""
        requests = self._bin(lane, due_s)
        if reason is StopReason.SUCCEEDED:
            requests.succeeded += 1
            requests.latency[bucket_of((now_s - due_s) * 1000)] += 1
        else:
            requests.failed[reason.value] += 1

    def add(self, other: Requests) -> None:
        """Add the increment that another process counted in one of its bins."""
        bin_ = self._bin(
            other.lane, other.t_s + self._width_s / 2
        )  # its middle, for `t_s` is rounded
        bin_.issued += other.issued
        bin_.succeeded += other.succeeded
        bin_.attempts += other.attempts
        bin_.failed.update(other.failed)
        bin_.latency.update(other.latency)

    def drain(self) -> list[Requests]:
        """What was counted since the last time, by time; forgets it."""
        lines = sorted(self._bins.values(), key=lambda line: (line.t_s, line.lane))
        self._bins = {}
        return lines

    def _bin(self, lane: str, due_s: float) -> Requests:
        index = math.floor(due_s / self._width_s + 1e-9)
        found = self._bins.get((lane, index))
        if found is None:
            found = self._bins[lane, index] = Requests(round(index * self._width_s, 6), lane)
        return found


class Lateness:
    """How late attempts left, per second: increments of the generator's `health` lines."""

    def __init__(self, worker: str) -> None:
        """`worker` is the name of this process in the record."""
        self._worker = worker
        self._second = Health(0.0, "generator", worker, 0.0)

    def left(self, late_s: float) -> None:
        """An attempt left `late_s` after it was due."""
        self._second.late[bucket_of(late_s * 10_000)] += 1

    def drain(self, t_s: float, cpu: float) -> Health:
        """The second that began at `t_s`, in which the process used `cpu` of a core."""
        second, self._second = self._second, Health(0.0, "generator", self._worker, 0.0)
        second.t_s, second.cpu = t_s, cpu
        return second
