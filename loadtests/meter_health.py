"""How a process with a meter did, from its ticks: its CPU and how late it was, second by second."""

import math

from faults.wire import TickRow
from reports.record import Health, bucket_of


class MeterHealth:
    """Folds ticks into the lines of one process."""

    def __init__(self, source: str, worker: str, tick_s: float) -> None:
        """`source` is what kind of process it is, `worker` which."""
        self._source, self._worker, self._tick_s = source, worker, tick_s
        self._second: Health | None = None
        self._cpu_s = 0.0

    def add(self, t_s: float, row: TickRow) -> list[Health]:
        """A tick that began at `t_s`; returns the second before it when that is over."""
        begin_s = float(math.floor(t_s))
        over: list[Health] = []
        if self._second is None or self._second.t_s != begin_s:
            over = self.rest()
            self._second = Health(begin_s, self._source, self._worker, 0.0)
        self._cpu_s += row.cpu_s
        self._second.late[bucket_of(row.lag_s * 10_000)] += 1
        return over

    def rest(self) -> list[Health]:
        """The second that is not over yet: at the end of a run it will not fill up."""
        second, self._second = self._second, None
        if second is None:
            return []
        metered_s = second.late.total() * self._tick_s
        second.cpu, self._cpu_s = round(self._cpu_s / metered_s, 4), 0.0
        return [second]
