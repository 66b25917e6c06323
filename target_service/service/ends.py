"""When each of the workers that are busy will be free."""

import itertools
from heapq import heapify, heappop, heappush
from typing import Final

from target_service.service.jobs import Job, State

_IN_SERVICE = State.IN_SERVICE


class Ends:
    """The ends of service that are to come, in their order; those at one instant as they began.

    An end is an attempt's, or nobody's: then a worker is at something else. One whose attempt is
    no longer in service is passed over.
    """

    def __init__(self) -> None:
        self.heap: Final[list[tuple[float, int, Job | None]]] = []
        """To look at: the next one is the first."""
        self._order = itertools.count()
        self._void = 0

    def __len__(self) -> int:
        """How many are kept, with those that are to be passed over."""
        return len(self.heap)

    @property
    def next_s(self) -> float | None:
        """The next one; None: there is none."""
        return self.heap[0][0] if self.heap else None

    def add(self, at_s: float, job: Job | None) -> None:
        """A worker will be free."""
        heappush(self.heap, (at_s, next(self._order), job))

    def pop(self) -> tuple[float, Job | None]:
        """The next one. Raises `IndexError` where there is none."""
        at_s, _, job = heappop(self.heap)
        if self._void:
            self._clean()
        return at_s, job

    def stretch(self, now_s: float, factor: float) -> None:
        """What is left of each from now on takes `factor` times as long. Their order stays."""
        self.heap[:] = [
            (now_s + (at_s - now_s) * factor, order, job) for at_s, order, job in self.heap
        ]

    def stopped(self) -> None:
        """An attempt is no longer in service whose end may be kept."""
        self._void += 1
        if self._void > len(self.heap) // 2 + 64:  # memory stays flat
            self.heap[:] = [end for end in self.heap if not _is_void(end[2])]
            heapify(self.heap)
            self._void = 0
        self._clean()

    def _clean(self) -> None:
        """See to it that the next one is one that will happen."""
        while self.heap and _is_void(self.heap[0][2]):
            heappop(self.heap)
            self._void -= 1


def _is_void(job: Job | None) -> bool:
    return job is not None and job.state is not _IN_SERVICE
