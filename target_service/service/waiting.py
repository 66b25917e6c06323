"""The queue: who waits, who is next, who makes room."""

import math
from collections import deque

from target_service.service.config import Discipline, Order, ShedFirst
from target_service.service.jobs import Job, State

_WAITING, _OUT = State.WAITING, State.OUT


class Waiting:
    """Attempts that wait, in the order of their arrival.

    One that leaves from the middle stays in place, marked as out, until it comes to an end of the
    queue or most are such.

    `codel` is the controlled delay of Maurer, "Fail at Scale", ACM Queue 13 (8), 2015: an attempt
    that arrives may wait for `interval_s`, but only for `target_s` where the queue has not been
    empty for `interval_s`: then it stands, and does not just level out a burst. While it stands
    the newest is next ("adaptive LIFO"). CoDel itself (RFC 8289) drops packets in order to be
    noticed by a sender, at a growing rate; a service has nobody who slows down.
    """

    def __init__(
        self, discipline: Discipline, shed_first: ShedFirst, max_wait_s: float | None = None
    ) -> None:
        self._discipline = discipline
        self._shed_first = shed_first
        self._sheds_arriving = shed_first is ShedFirst.ARRIVING
        self._max_wait_s = math.inf if max_wait_s is None else max_wait_s
        self._is_lifo = discipline.order is Order.LIFO
        self._is_codel = discipline.order is Order.CODEL
        self._is_bounded = max_wait_s is not None or self._is_codel
        self._jobs: deque[Job] = deque()
        self._ranks: dict[int, list[Job]] = {}
        self.size = 0
        """How many there are."""
        self._not_empty_since_s = 0.0

    def add(self, job: Job, now_s: float) -> None:
        """One more waits."""
        if not self.size:
            self._not_empty_since_s = now_s
        job.state = _WAITING
        if self._is_bounded:
            job.stale_s = now_s + min(self._max_wait_s, self._longest_s(now_s))
        self._jobs.append(job)
        self.size += 1
        if not self._sheds_arriving:
            alike = self._ranks.setdefault(self._rank(job), [])
            alike.append(job)
            if len(alike) > 2 * self.size + 64:
                alike[:] = [job for job in alike if job.state is _WAITING]

    def remove(self, job: Job) -> None:
        """One that waits leaves."""
        job.state = _OUT
        self.size -= 1
        if len(self._jobs) > 2 * self.size + 64:  # mostly marked ones: memory stays flat
            self._jobs = deque(job for job in self._jobs if job.state is _WAITING)

    def take(self, now_s: float) -> Job | None:
        """The next one, which waits no longer; None when nobody waits.

        What has waited too long is next before all else, so that it takes nobody's place.
        """
        if not self.size:
            return None
        if self._is_bounded and (stale := self.take_stale(now_s)) is not None:
            return stale
        newest = self._is_lifo or (self._is_codel and self._stands(now_s))
        while True:
            job = self._jobs.pop() if newest else self._jobs.popleft()
            if job.state is _WAITING:
                return self._taken(job)

    def take_stale(self, now_s: float) -> Job | None:
        """The oldest, which waits no longer, if it has waited too long."""
        while self._jobs and self._jobs[0].state is not _WAITING:
            self._jobs.popleft()
        if self._jobs and self._jobs[0].stale_s < now_s:
            return self._taken(self._jobs.popleft())
        return None

    def make_room_for(self, job: Job) -> Job | None:
        """The one that makes room for `job`, out of the queue; None when `job` itself must go."""
        if self._sheds_arriving:
            return None
        for rank in sorted(self._ranks, reverse=True):
            if rank <= self._rank(job):
                return None
            jobs = self._ranks[rank]
            while jobs:
                victim = jobs.pop()
                if victim.state is _WAITING:
                    self.remove(victim)
                    return victim
            del self._ranks[rank]
        return None

    def _taken(self, job: Job) -> Job:
        job.state = _OUT
        self.size -= 1
        return job

    def _rank(self, job: Job) -> int:
        """The higher, the sooner it goes."""
        return job.priority if self._shed_first is ShedFirst.PRIORITY else job.attempt

    def _longest_s(self, now_s: float) -> float:
        """How long the discipline lets one wait that arrives now."""
        if not self._is_codel:
            return math.inf
        return self._discipline.target_s if self._stands(now_s) else self._discipline.interval_s

    def _stands(self, now_s: float) -> bool:
        """Whether `codel` sees a standing queue. Asked only while somebody waits, or arrives."""
        return now_s - self._not_empty_since_s > self._discipline.interval_s
