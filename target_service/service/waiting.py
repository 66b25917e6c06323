"""The queue: who waits, who is next, who makes room."""

from collections import deque

from target_service.service.config import Discipline, Order, ShedFirst
from target_service.service.jobs import Job, State


class Waiting:
    """Attempts that wait, in the order of their arrival.

    One that leaves from the middle stays in place, marked as out, until it comes to the front.
    """

    def __init__(self, discipline: Discipline, shed_first: ShedFirst) -> None:
        self._discipline = discipline
        self._shed_first = shed_first
        self._jobs: deque[Job] = deque()
        self._ranks: dict[int, list[Job]] = {}
        self._control = _Control(discipline)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, job: Job) -> None:
        """One more waits."""
        job.state = State.WAITING
        self._jobs.append(job)
        self._size += 1
        if self._shed_first is not ShedFirst.ARRIVING:
            alike = self._ranks.setdefault(self._rank(job), [])
            alike.append(job)
            if len(alike) > 2 * self._size + 64:
                alike[:] = [job for job in alike if job.state is State.WAITING]

    def remove(self, job: Job) -> None:
        """One that waits leaves."""
        job.state = State.OUT
        self._size -= 1
        if len(self._jobs) > 2 * self._size + 64:  # mostly marked ones: memory stays flat
            self._jobs = deque(job for job in self._jobs if job.state is State.WAITING)

    def take(self, now_s: float) -> Job | None:
        """The next one, which waits no longer; None when nobody waits."""
        if not self._size:
            self._control.empty(now_s)
            return None
        newest = self._discipline.order is Order.LIFO or self._control.overloaded
        while True:
            job = self._jobs.pop() if newest else self._jobs.popleft()
            if job.state is State.WAITING:
                break
        job.state = State.OUT
        self._size -= 1
        if self._discipline.order is Order.CODEL:
            self._control.waited(now_s - job.arrived_s, now_s)
        return job

    def waited_too_long(self, job: Job, now_s: float) -> bool:
        """Whether `codel` sheds this one, which was just taken."""
        return self._control.overloaded and now_s - job.arrived_s > 2 * self._discipline.target_s

    def make_room_for(self, job: Job) -> Job | None:
        """The one that makes room for `job`, out of the queue; None when `job` itself must go."""
        if self._shed_first is ShedFirst.ARRIVING:
            return None
        for rank in sorted(self._ranks, reverse=True):
            if rank <= self._rank(job):
                return None
            jobs = self._ranks[rank]
            while jobs:
                victim = jobs.pop()
                if victim.state is State.WAITING:
                    self.remove(victim)
                    return victim
            del self._ranks[rank]
        return None

    def _rank(self, job: Job) -> int:
        """The higher, the sooner it goes."""
        return job.priority if self._shed_first is ShedFirst.PRIORITY else job.attempt


class _Control:
    """Controlled delay, adaptive: is there a standing queue?

    The shortest wait of each interval is looked at, as CoDel does (RFC 8289, 3.2): when even that
    is above the target the queue never drained, and from then on the newest is served first and
    what waited twice the target is shed, until an interval has a shorter one (Maurer, "Fail at
    Scale", ACM Queue 2015, has the rule and the adaptive order).
    """

    def __init__(self, discipline: Discipline) -> None:
        self._target_s = discipline.target_s
        self._interval_s = discipline.interval_s
        self._shortest_s: float | None = None
        self._until_s = 0.0
        self.overloaded = False

    def waited(self, wait_s: float, now_s: float) -> None:
        """One was taken after it had waited this long."""
        if self._shortest_s is None or now_s >= self._until_s:
            if self._shortest_s is not None:
                self.overloaded = self._shortest_s > self._target_s
            self._shortest_s, self._until_s = wait_s, now_s + self._interval_s
        else:
            self._shortest_s = min(self._shortest_s, wait_s)

    def empty(self, now_s: float) -> None:
        """Nobody waits: whatever there was has drained."""
        self.overloaded = False
        self._shortest_s, self._until_s = 0.0, now_s + self._interval_s
