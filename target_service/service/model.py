"""A queue with workers, without a clock: who is served when, and who is not.

The caller moves it on: every method takes the time as `now_s`, which never goes back, and what
happened by then happens in its own order and at its own instant, however late the caller comes.
"""

import math
from random import Random

from target_service.service.config import Abandoned, ServiceConfig
from target_service.service.ends import Ends
from target_service.service.jobs import Fate, Job, State, Verdict
from target_service.service.waiting import Waiting

_TAKEN, _SERVED = Verdict.TAKEN, Fate.SERVED
_IN_SERVICE, _OUT = State.IN_SERVICE, State.OUT
_FINISH = Abandoned.FINISH


class QueueModel:
    """Attempts arrive, wait, are served or refused, and leave.

    `ended` collects the attempts that were served or refused after all, with their fate; also those
    whose client has `gone` meanwhile, but for what was dropped or stopped. Without a service time
    of its own the model puts into `started` those that a worker has taken, and the caller must
    `finish` each of them. The caller empties both.
    """

    def __init__(self, config: ServiceConfig, rng: Random) -> None:
        """Every worker is free. `rng` draws the service times."""
        self.config = config
        self.ended: list[tuple[Job, Fate]] = []
        self.started: list[Job] = []
        self._rng = rng
        self._waiting = Waiting(config.discipline, config.shed_first, config.max_wait_s)
        self._draw_s = None if config.time is None else config.time.draw_s
        self._workers = config.workers
        self._stretch = 1.0
        self._busy = 0
        self._ends = Ends()
        self._refusing_s = 0.0
        self._app_time_s, self._app_count = 0.0, 0

    @property
    def queue(self) -> int:
        """Attempts that wait."""
        return self._waiting.size

    @property
    def busy(self) -> int:
        """Workers that are at work, also for clients that have gone, or at refusing."""
        return self._busy

    @property
    def next_s(self) -> float | None:
        """When something will happen by itself; None: nothing will."""
        return self._ends.next_s

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
        if job.deadline_s is not None and self._expired(job, now_s):
            self._charge(now_s)
            return Verdict.EXPIRED
        if self._busy < self._workers:  # then nobody waits
            self._start(job, now_s)
            return _TAKEN
        if self._is_full(now_s):
            victim = self._waiting.make_room_for(job)
            self._charge(now_s)
            if victim is None:
                return Verdict.FULL
            self._end(victim, Fate.SHED, now_s)
        self._waiting.add(job, now_s)
        return _TAKEN

    def leave(self, job: Job, now_s: float) -> None:
        """The client of an attempt has gone; of one that is out already, nothing is changed."""
        self.advance(now_s)
        job.gone = True
        if self.config.abandoned is not Abandoned.STOP:
            return
        if job.state is State.WAITING:
            self._waiting.remove(job)
        elif job.state is _IN_SERVICE:
            job.state = _OUT
            self._ends.stopped()
            self._busy -= 1
            self._fill(now_s)

    def finish(self, job: Job, now_s: float) -> None:
        """The app is done with an attempt that was `started`.

        Where service is stretched now, the worker is held for as much longer.
        """
        self.advance(now_s)
        if job.state is _IN_SERVICE:
            took_s = now_s - job.started_s
            self._app_time_s += took_s
            self._app_count += 1
            self._ends.add(now_s + took_s * (self._stretch - 1.0), job)
            self.advance(now_s)

    def set_capacity(self, workers: int, stretch: float, now_s: float) -> None:
        """From now on there are so many workers, and each takes `stretch` times as long.

        Also for what is left of service that has begun, so that nothing of a dip outlasts it.
        Nobody who is being served is sent away: with fewer workers the next ones wait longer.
        """
        self.advance_until(now_s)
        if stretch != self._stretch:
            self._ends.stretch(now_s, stretch / self._stretch)
        self._workers, self._stretch = workers, stretch
        self._fill(now_s)

    def advance(self, now_s: float) -> None:
        """Whatever ends by now, ends."""
        heap = self._ends.heap
        while heap and heap[0][0] <= now_s:
            at_s, job = self._ends.pop()
            if job is not None:
                self._end(job, _SERVED, at_s)
            self._busy -= 1
            if self._waiting.size or self._refusing_s:
                self._fill(at_s)

    def advance_until(self, now_s: float) -> None:
        """As `advance`, but for what ends at this very instant, which another tick begins with."""
        self.advance(math.nextafter(now_s, -math.inf))

    def _fill(self, at_s: float) -> None:
        """Give the free workers something to do."""
        while self._busy < self._workers:
            if self._refusing_s > 0.0:
                self._refuse(at_s)
                continue
            job = self._waiting.take(at_s)
            if job is None:
                return
            if job.gone and self.config.abandoned is not _FINISH:
                continue
            if job.deadline_s is not None and self._expired(job, at_s):
                self._shed(job, Fate.EXPIRED, at_s)
            elif job.stale_s < at_s:
                self._shed(job, Fate.SHED, at_s)
            else:
                self._start(job, at_s)

    def _start(self, job: Job, at_s: float) -> None:
        job.state = _IN_SERVICE
        job.started_s = at_s
        self._busy += 1
        if self._draw_s is None:
            self.started.append(job)
        else:
            self._ends.add(at_s + self._draw_s(self._rng) * self._stretch, job)

    def _end(self, job: Job, fate: Fate, at_s: float) -> None:
        job.state = _OUT
        job.ended_s = at_s
        self.ended.append((job, fate))

    def _shed(self, job: Job, fate: Fate, at_s: float) -> None:
        self._end(job, fate, at_s)
        self._charge(at_s)

    def _is_full(self, now_s: float) -> bool:
        """Whether there is no room, also after what has waited too long has been shed."""
        while self._waiting.size >= self.config.queue:
            stale = self._waiting.take_stale(now_s)
            if stale is None:
                return True
            self._shed(stale, Fate.SHED, now_s)
        return False

    def _expired(self, job: Job, at_s: float) -> bool:
        deadline_s = job.deadline_s if self.config.heed_deadlines else None
        return deadline_s is not None and deadline_s <= at_s

    def _charge(self, at_s: float) -> None:
        """Refusing one is work too; the workers that are free next do it before all else."""
        mean_s = self.mean_s
        if self.config.turn_away_cost and mean_s is not None:
            self._refusing_s += self.config.turn_away_cost * mean_s
            if self._busy < self._workers:
                self._refuse(at_s)

    def _refuse(self, at_s: float) -> None:
        """A worker refuses for as long as it would serve one, if there is so much to refuse.

        So the workers share what has come up while none was free.
        """
        self._busy += 1
        share_s = min(self._refusing_s, self.mean_s or self._refusing_s)
        self._ends.add(at_s + share_s * self._stretch, None)
        self._refusing_s -= share_s
