"""Open-loop users with timeouts and retries in front of a model, in virtual time."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from target_service.service import Fate, Job, QueueModel, ServiceConfig, Verdict


@dataclass(frozen=True)
class Users:
    """Requests come at `rate_per_s` whatever became of earlier ones, at constant distances.

    An attempt is given up after `timeout_s`; what fails is tried again after `wait_s`, up to
    `attempts` times in all: the policy `immediate` of the catalogue. With `deadlines` an attempt
    says when it will be given up.
    """

    rate_per_s: float = 70.0
    timeout_s: float = 1.0
    attempts: int = 4
    wait_s: float = 0.1
    poisson: bool = True
    deadlines: bool = False


@dataclass(frozen=True)
class Dip:
    """From `at_s` on, for `for_s`, there are so many workers, or service is stretched."""

    for_s: float
    at_s: float = 5.0
    workers: int = 0
    stretch: float = 1.0


@dataclass
class Seen:
    """What came of it, by whole seconds."""

    seconds: int
    offered: list[int] = field(init=False)
    succeeded: list[int] = field(init=False)
    queue: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.offered = [0] * self.seconds
        self.succeeded = [0] * self.seconds
        self.queue = [0] * self.seconds


class Storm:
    """One run. Events happen in the order of their instants; those of the users are in a heap."""

    def __init__(
        self, config: ServiceConfig, users: Users, dips: tuple[Dip, ...], seconds: int, seed: int
    ) -> None:
        self.model = QueueModel(config, Random(f"{seed}/service"))
        self.users = users
        self.seen = Seen(seconds)
        self._rng = Random(f"{seed}/users")
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = itertools.count()
        self._open: set[Job] = set()
        for dip in dips:
            self._at(dip.at_s, partial(self.model.set_capacity, dip.workers, dip.stretch))
            self._at(dip.at_s + dip.for_s, partial(self.model.set_capacity, config.workers, 1.0))

    def run(self) -> Seen:
        """Until the seconds are over."""
        self._at(0.0, self._request)
        for second in range(self.seen.seconds):
            self._at(second + 1 - 1e-9, self._note)
        while self._events:
            at_s, _, event = heapq.heappop(self._events)
            if at_s >= self.seen.seconds:
                break
            while (next_s := self.model.next_s) is not None and next_s <= at_s:
                self._tell(next_s)
            event(at_s)
            self._tell(at_s)
        return self.seen

    def _note(self, now_s: float) -> None:
        self.seen.queue[int(now_s)] = self.model.queue

    def _at(self, at_s: float, event: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (at_s, next(self._order), event))

    def _tell(self, now_s: float) -> None:
        """Tell the users what has happened."""
        self.model.advance(now_s)
        for job, fate in self.model.ended:
            if job.gone:
                continue
            self._open.remove(job)
            if fate is Fate.SERVED:
                self.seen.succeeded[int(now_s)] += 1
            else:
                self._again(job.attempt, now_s)
        self.model.ended.clear()

    def _request(self, now_s: float) -> None:
        rate = self.users.rate_per_s
        gap_s = self._rng.expovariate(rate) if self.users.poisson else 1 / rate
        self._at(now_s + gap_s, self._request)
        self._attempt(1, now_s)

    def _attempt(self, number: int, now_s: float) -> None:
        self.seen.offered[int(now_s)] += 1
        deadline_s = now_s + self.users.timeout_s
        job = Job(number, deadline_s=deadline_s if self.users.deadlines else None)
        if self.model.arrive(job, now_s) is Verdict.TAKEN:
            self._open.add(job)
            self._at(deadline_s, lambda t: self._give_up(job, t))
        else:
            self._again(number, now_s)

    def _give_up(self, job: Job, now_s: float) -> None:
        if job in self._open:
            self._open.remove(job)
            self.model.leave(job, now_s)
            self._again(job.attempt, now_s)

    def _again(self, number: int, now_s: float) -> None:
        if number < self.users.attempts:
            self._at(now_s + self.users.wait_s, lambda t: self._attempt(number + 1, t))
