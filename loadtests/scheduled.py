"""The base of our Locust users: requests come when they are due, whatever became of earlier ones.

Every task run is due at an instant of a schedule and runs in a greenlet of its own.
"""

import logging
from collections.abc import Callable, Iterator
from random import Random
from typing import ClassVar

import gevent
from locust import User
from locust.env import Environment
from locust.exception import (
    InterruptTaskSet,
    RescheduleTask,
    RescheduleTaskImmediately,
    StopTest,
    StopUser,
)

from loadtests.arrivals import Surge, due_times, phase_of
from loadtests.client import Scope
from loadtests.counting import Counting
from loadtests.greenlets import Greenlets, TooManyUnderWayError
from loadtests.policy_names import Described
from loadtests.swarm import Swarm
from reports.record import Lane

log = logging.getLogger("aftershock")


class ScheduledUser(User):
    """Launches its tasks on a schedule. What a task does, and to which lane, is the subclass's."""

    abstract = True

    lane: ClassVar[str] = ""
    """The lane of the target that the users of this class load; the policy's name if empty."""
    rate_per_s: ClassVar[float | None] = None
    """New requests a second and user; the web form's or `--rate-per-user` if None."""
    timeout_s: ClassVar[float] = 5.0
    """The time one attempt may take, from connecting to the last byte."""

    def __init__(self, environment: Environment) -> None:
        """Called by Locust. Raises `ValueError` when there is no host."""
        super().__init__(environment)
        cls = type(self)
        self._counting: Counting = Swarm.of(environment).counting
        self._settings = self._counting.settings
        self._scope: Scope = self._counting.scope(cls.lane_name(), cls.loaded_by())
        if not self.host:
            raise ValueError("no host: say which service to load with --host http://HOST:PORT")
        self._base_url: str = self.host
        self._requests = Greenlets()
        index = self._counting.next_user_index(cls.lane_name())
        self._choice = Random(f"{self._settings.seed}/tasks/{index}")
        self._index = index
        self._due_s: Iterator[float] = iter(())
        self._next_due_s: float | None = None
        self._steps: list[Callable[[ScheduledUser], object]] = [_plain(task) for task in cls.tasks]
        # Locust's loop now runs `_launch`, waits for `wait_time` and runs it again.
        self.tasks = [cls._launch]

    @classmethod
    def loaded_by(cls) -> Described:
        """What loads the lane: a policy, or a client that retries by itself."""
        raise NotImplementedError

    @classmethod
    def lane_name(cls) -> str:
        """The lane that users of this class load."""
        return cls.lane or cls.loaded_by().name

    @classmethod
    def lane_line(cls) -> Lane:
        """The lane as the record's header has it."""
        source = cls.loaded_by()
        return Lane(cls.lane_name(), source.name, source.describe())

    def close(self) -> None:
        """Close what the user has open."""

    def wait_time(self) -> float:
        """Seconds until the next request is due."""
        if self._next_due_s is None:
            return 0.0
        return max(0.0, self._next_due_s - self._scope.clock.now_s())

    def stop(self, force: bool = False) -> bool:
        """Stop issuing requests; those on their way get Locust's stop timeout to end."""
        stopped = super().stop(force)
        if not force:
            self._requests.wait(self.environment.stop_timeout)
        self._requests.kill()
        self.close()
        return bool(stopped)

    def _schedule(self, origin_s: float) -> Iterator[float]:
        """When requests are due, in seconds from `origin_s`, under the spikes of our lane."""
        settings, lane = self._settings, self.lane_name()
        rng = Random(f"{settings.seed}/arrivals/{self._index}")
        rate_per_s = settings.rate_per_s if self.rate_per_s is None else self.rate_per_s
        surges = [
            Surge(spike.factor, spike.at_s - origin_s, spike.at_s + spike.for_s - origin_s)
            for spike in settings.spikes
            if spike.lanes is None or lane in spike.lanes
        ]
        phase = phase_of(self._index)
        return due_times(settings.arrivals, rate_per_s, rng, phase=phase, surges=surges)

    def _launch(self) -> None:
        """Start every request that is due by now."""
        now_s = self._scope.clock.now_s()
        if self._next_due_s is None:
            self._origin_s = now_s
            self._due_s = self._schedule(now_s)
            self._next_due_s = self._origin_s + next(self._due_s)
        while self._next_due_s <= now_s:
            try:
                self._requests.start(self._run_step, self._next_due_s)
            except TooManyUnderWayError as error:
                self._scope.on_failure(error)  # which ends the test soon
                return
            self._next_due_s = self._origin_s + next(self._due_s)

    def _run_step(self) -> None:
        """Run a task; what it raises ends it as it would in Locust's own loop."""
        try:
            self._choice.choice(self._steps)(self)
        except (InterruptTaskSet, RescheduleTask, RescheduleTaskImmediately):
            pass
        except StopUser:
            gevent.spawn(self.stop, force=True)
        except StopTest:
            gevent.spawn(self.environment.runner.quit)
        except (Exception, gevent.Timeout) as error:
            log.exception("a task of %s failed", type(self).__name__)
            self.environment.events.user_error.fire(
                user_instance=self, exception=error, tb=error.__traceback__
            )


def _plain(task: object) -> Callable[[ScheduledUser], object]:
    if isinstance(task, type) or not callable(task):
        raise TypeError(f"{task!r}: an open-loop user has plain tasks, no TaskSet")
    return task
