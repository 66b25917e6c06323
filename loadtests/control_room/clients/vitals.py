"""How the processes that send load do, by their newest second. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.record import Health, bucket_upper, quantile

MAX_WORKERS = 1000
FORGOTTEN_S = 2.5
"""Who is this far behind the others is not waited for."""


@dataclass(frozen=True, slots=True)
class WorkerVitals:
    """The newest full second of one process.

    `cpu` is the share of a core that it used, `late_p99_ms` how late its attempts left (None: none
    left), `age_s` how long ago that second ended.
    """

    worker: str
    cpu: float
    late_p99_ms: float | None
    age_s: float


class Vitals:
    """The newest health line of each worker."""

    def __init__(self) -> None:
        self._newest: dict[str, Health] = {}

    def add(self, line: Health) -> None:
        """A second of one worker."""
        known = self._newest.get(line.worker)
        if known is None and len(self._newest) >= MAX_WORKERS:
            return
        if known is None or line.t_s >= known.t_s:
            self._newest[line.worker] = line

    def all(self, now_s: float) -> tuple[WorkerVitals, ...]:
        """Each worker at `now_s`, in seconds from the anchor."""
        return tuple(
            WorkerVitals(line.worker, line.cpu, _p99_ms(line.late), now_s - (line.t_s + 1.0))
            for line in self._newest.values()
        )

    def told_until_s(self) -> float:
        """Up to when all have told what they counted, in seconds from the anchor; 0: none has."""
        ends = [line.t_s + 1.0 for line in self._newest.values()]
        newest_s = max(ends, default=0.0)
        return min((end for end in ends if end >= newest_s - FORGOTTEN_S), default=0.0)


def _p99_ms(late: Mapping[int, int]) -> float | None:
    bucket = quantile(late, 0.99)
    return None if bucket is None else bucket_upper(bucket) / 10
