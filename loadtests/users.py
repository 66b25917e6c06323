"""Open-loop Locust users: new requests come when they are due, whatever became of earlier ones.

Write a user as in any locustfile::

    from locust import task

    from loadtests.users import OpenLoopUser, preset


    class Forecasts(OpenLoopUser):
        retry_policy = preset("full-jitter", attempts=3)
        rate_per_s = 20

        @task
        def forecast(self):
            self.client.get("/forecast")

Every task run is due at an instant of a schedule and runs in a greenlet of its own, so a
retry that waits holds nothing up. `self.client` retries by the class's `retry_policy`; who shares
its state, its budget or breaker, is said by `state_scope`.
"""

import logging
import time
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

from loadtests.arrivals import due_times, phase_of
from loadtests.client import Attempt, RetryingClient
from loadtests.counting import Counting, policies_in_turn
from loadtests.greenlets import Greenlets
from loadtests.policies import RetryPolicy, preset
from loadtests.policies.scope import StateScope, count_states
from loadtests.policy_names import PolicySource
from loadtests.swarm import Swarm

log = logging.getLogger("aftershock")

__all__ = ["OpenLoopUser", "StateScope", "preset"]


class OpenLoopUser(User):
    """The base of every user class: set `retry_policy` and write tasks."""

    abstract = True

    retry_policy: ClassVar[PolicySource] = preset("no-retry")
    """What to do after a failed attempt."""
    state_scope: ClassVar[StateScope] = StateScope.PROCESS
    """Who shares the policy's state: a client, all that are in a process, or all of the lane."""
    clients: ClassVar[int] = 1
    """How many clients a user stands for; its requests are theirs in turn."""
    processes: ClassVar[int] = 1
    """How many processes the clients of a user are spread over, whatever Locust runs in."""
    lane: ClassVar[str] = ""
    """The lane of the target that the users of this class load; the policy's name if empty."""
    rate_per_s: ClassVar[float | None] = None
    """New requests a second and user; the web form's or `--rate-per-user` if None."""
    timeout_s: ClassVar[float] = 5.0
    """The time one attempt may take, from connecting to the last byte."""

    def __init__(self, environment: Environment) -> None:
        """Called by Locust. Raises `ValueError` when there is no host or it is no URL."""
        super().__init__(environment)
        cls = type(self)
        counting = Swarm.of(environment).counting
        self._settings = counting.settings
        self._scope = counting.scope(cls.lane_name(), cls.retry_policy)
        policies = cls._policies(counting)
        if not self.host:
            raise ValueError("no host: say which service to load with --host http://HOST:PORT")
        self.client = RetryingClient(self.host, self.timeout_s, self._scope, policies, self._report)
        self._requests = Greenlets()
        index = counting.next_user_index(cls.lane_name())
        self._choice = Random(f"{self._settings.seed}/tasks/{index}")
        self._due_s = self._schedule(index)
        self._next_due_s: float | None = None
        self._steps: list[Callable[[OpenLoopUser], object]] = [_plain(task) for task in cls.tasks]
        # Locust's loop now runs `_launch`, waits for `wait_time` and runs it again.
        self.tasks = [cls._launch]

    @classmethod
    def lane_name(cls) -> str:
        """The lane that users of this class load."""
        return cls.lane or cls.retry_policy.name

    @classmethod
    def _policies(cls, counting: Counting) -> Iterator[RetryPolicy]:
        """The policy of each request in turn. Raises `ValueError` for impossible numbers."""
        states = count_states(cls.state_scope, cls.clients, cls.processes)
        if cls.state_scope is StateScope.CLIENT:
            return policies_in_turn(cls.retry_policy, states)
        return counting.shared_policies(cls.lane_name(), cls.retry_policy, states)

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
        self.client.close()
        return bool(stopped)

    def _schedule(self, index: int) -> Iterator[float]:
        rng = Random(f"{self._settings.seed}/arrivals/{index}")
        own = self.rate_per_s
        rate_per_s = self._settings.rate_per_s if own is None else own
        return due_times(self._settings.arrivals, rate_per_s, rng, phase=phase_of(index))

    def _launch(self) -> None:
        """Start every request that is due by now."""
        now_s = self._scope.clock.now_s()
        if self._next_due_s is None:
            self._origin_s = now_s
            self._next_due_s = self._origin_s + next(self._due_s)
        while self._next_due_s <= now_s:
            self._requests.start(self._run_step, self._next_due_s)
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

    def _report(self, attempt: Attempt) -> None:
        """Tell Locust's own statistics, where attempts are named by policy."""
        response = attempt.response
        self.environment.events.request.fire(
            request_type=attempt.method,
            name=f"{self._scope.label} {attempt.name}",
            response_time=response.elapsed_s * 1000,
            response_length=len(response.content),
            response=response,
            context=self.context(),
            exception=None if response.ok else (response.error or f"status {response.status_code}"),
            start_time=time.time() - response.elapsed_s,
            url=attempt.url,
        )


def _plain(task: object) -> Callable[[OpenLoopUser], object]:
    if isinstance(task, type) or not callable(task):
        raise TypeError(f"{task!r}: an open-loop user has plain tasks, no TaskSet")
    return task
