"""A queue with workers, without a clock: who is served when, and who is not.

The caller moves it on: every method takes the time as `now_s`, which never goes back, and what
happened by then happens in its own order and at its own instant, however late the caller comes.
"""

import heapq
import itertools
from random import Random

from target_service.service.config import Abandoned, ServiceConfig
from target_service.service.jobs import Fate, Job, State, Verdict
from target_service.service.waiting import Waiting


class QueueModel:
    """Attempts arrive, wait, are served or refused, and leave.

    `ended` collects the attempts that left while their client waited, with their fate; without a
    service time of its own, `started` collects those that a worker has taken and the caller must
    `finish`. The caller empties both.
    """

    def __init__(self, config: ServiceConfig, rng: Random) -> None:
        """Every worker is free. `rng` draws the service times."""
        self.config = config
        self.ended: list[tuple[Job, Fate]] = []
        self.started: list[Job] = []
        self._rng = rng
        self._waiting = Waiting(config.discipline, config.shed_first)
        self._workers = config.workers
        self._stretch = 1.0
        self._busy = 0
        self._ends: list[tuple[float, int, Job | None]] = []  # a job, or None: turning away
        self._order = itertools.count()
        self._turning_away_s = 0.0
        self._app_time_s, self._app_count = 0.0, 0

    @property
    def queue(self) -> int:
        """Attempts that wait."""
        return len(self._waiting)

    @property
    def busy(self) -> int:
        """Workers that are at work, also for clients that have gone, or at turning away."""
        return self._busy

    @property
    def next_s(self) -> float | None:
        """When something will happen by itself; None: nothing will."""
        return self._ends[0][0] if self._ends else None

    @property
    def mean_s(self) -> float | None:
        """The mean service time, of the app's as seen so far; None when none was seen."""
        if self.config.time is not None:
            return self.config.time.mean_s
        return self._app_time_s / self._app_count if self._app_count else None

    def arrive(self, job: Job, now_s: float) -> Verdict:
        """An attempt arrives: `TAKEN`, `FULL` or `EXPIRED`."""
        self.advance(now_s)
        job.arrived_s = now_s
        if self._expired(job, now_s):
            self._charge(now_s)
            return Verdict.EXPIRED
        if self._busy < self._workers and not len(self._waiting):
            self._waiting.take(now_s)  # lets the queue know that nobody waits
            self._start(job, now_s)
            return Verdict.TAKEN
        if len(self._waiting) >= self.config.queue:
            victim = self._waiting.make_room_for(job)
            self._charge(now_s)
            if victim is None:
                return Verdict.FULL
            self._end(victim, Fate.SHED)
        self._waiting.add(job)
        self._fill(now_s)
        return Verdict.TAKEN

    def leave(self, job: Job, now_s: float) -> None:
        """The client of an attempt has gone; of one that is out already, nothing is changed."""
        self.advance(now_s)
        job.gone = True
        if self.config.abandoned is not Abandoned.STOP:
            return
        if job.state is State.WAITING:
            self._waiting.remove(job)
        elif job.state is State.IN_SERVICE:
            job.state = State.OUT  # its place among the ends is passed over
            self._busy -= 1
            self._fill(now_s)

    def finish(self, job: Job, now_s: float) -> None:
        """The app has answered an attempt that was `started`.

        Where service is stretched, the worker is held for as much longer.
        """
        self.advance(now_s)
        if job.state is State.IN_SERVICE:
            took_s = now_s - job.started_s
            self._app_time_s += took_s
            self._app_count += 1
            held_s = took_s * (self._stretch - 1.0)
            heapq.heappush(self._ends, (now_s + held_s, next(self._order), job))
            self.advance(now_s)

    def set_capacity(self, workers: int, stretch: float, now_s: float) -> None:
        """From now on there are so many workers, and service that begins takes `stretch` times.

        Nobody who is being served is sent away: with fewer workers the next ones wait longer.
        """
        self.advance_until(now_s)
        self._workers, self._stretch = workers, stretch
        self._fill(now_s)

    def advance(self, now_s: float) -> None:
        """Whatever ends by now, ends."""
        while self._ends and self._ends[0][0] <= now_s:
            self._next_end()

    def advance_until(self, now_s: float) -> None:
        """As `advance`, but for what ends at this very instant, which another tick begins with."""
        while self._ends and self._ends[0][0] < now_s:
            self._next_end()

    def _next_end(self) -> None:
        at_s, _, job = heapq.heappop(self._ends)
        if job is not None:
            if job.state is not State.IN_SERVICE:
                return  # stopped: its worker is free already
            self._end(job, Fate.SERVED)
        self._busy -= 1
        self._fill(at_s)

    def _fill(self, at_s: float) -> None:
        """Give the free workers something to do."""
        while self._busy < self._workers:
            if self._turning_away_s > 0.0:
                self._turn_away(at_s)
                continue
            job = self._waiting.take(at_s)
            if job is None:
                return
            if job.gone and self.config.abandoned is not Abandoned.FINISH:
                continue
            if self._expired(job, at_s):
                self._end(job, Fate.EXPIRED)
            elif self._waited_too_long(job, at_s):
                self._end(job, Fate.SHED)
                self._charge(at_s)
            else:
                self._start(job, at_s)

    def _start(self, job: Job, at_s: float) -> None:
        job.state = State.IN_SERVICE
        job.started_s = at_s
        self._busy += 1
        if self.config.time is None:
            self.started.append(job)
        else:
            service_s = self.config.time.draw_s(self._rng) * self._stretch
            heapq.heappush(self._ends, (at_s + service_s, next(self._order), job))

    def _end(self, job: Job, fate: Fate) -> None:
        job.state = State.OUT
        if not job.gone:
            self.ended.append((job, fate))

    def _expired(self, job: Job, at_s: float) -> bool:
        heed = self.config.heed_deadlines and job.deadline_s is not None
        return heed and job.deadline_s is not None and job.deadline_s <= at_s

    def _waited_too_long(self, job: Job, at_s: float) -> bool:
        most_s = self.config.max_wait_s
        if most_s is not None and at_s - job.arrived_s > most_s:
            return True
        return self._waiting.waited_too_long(job, at_s)

    def _charge(self, at_s: float) -> None:
        """Turning one away is work too; the next worker that is free does it before all else."""
        mean_s = self.mean_s
        if self.config.turn_away_cost and mean_s is not None:
            self._turning_away_s += self.config.turn_away_cost * mean_s * self._stretch
            if self._busy < self._workers:
                self._turn_away(at_s)

    def _turn_away(self, at_s: float) -> None:
        """A worker does all of the turning away that has come up."""
        self._busy += 1
        heapq.heappush(self._ends, (at_s + self._turning_away_s, next(self._order), None))
        self._turning_away_s = 0.0
