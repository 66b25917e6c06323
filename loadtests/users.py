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

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from locust.env import Environment

from loadtests.client import Attempt, RetryingClient
from loadtests.policies import RetryPolicy, preset
from loadtests.policies.scope import StateScope, count_states
from loadtests.policy_names import PolicySource, policy_file
from loadtests.policy_states import policies_in_turn
from loadtests.scheduled import ScheduledUser
from reports.record import Lane

__all__ = ["OpenLoopUser", "StateScope", "policy_file", "preset"]


class OpenLoopUser(ScheduledUser):
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
    deadlines: ClassVar[bool] = False
    """Whether each attempt says, in ``X-Deadline``, when it will be given up."""

    def __init__(self, environment: Environment) -> None:
        """Called by Locust. Raises `ValueError` when there is no host or it is no URL."""
        super().__init__(environment)
        self.client = RetryingClient(
            self._base_url,
            self.timeout_s,
            self._scope,
            self._policies(),
            self._report,
            deadlines=self.deadlines,
        )

    @classmethod
    def loaded_by(cls) -> PolicySource:
        """The class's policy."""
        return cls.retry_policy

    @classmethod
    def lane_line(cls) -> Lane:
        """With the clients and what they share, where there are several."""
        line = super().lane_line()
        if cls.clients == 1:
            return line
        states = count_states(cls.state_scope, cls.clients, cls.processes)
        clients = f"; clients: {cls.clients} for each user, {states} states between them"
        return replace(line, describe=line.describe + clients)

    def close(self) -> None:
        """Close the idle connections."""
        self.client.close()

    def _policies(self) -> Iterator[RetryPolicy]:
        """The policy of each request in turn. Raises `ValueError` for impossible numbers."""
        states = count_states(self.state_scope, self.clients, self.processes)
        if self.state_scope == StateScope.CLIENT:
            return policies_in_turn(self.retry_policy, states)
        return self._counting.shared_policies(self.lane_name(), self.retry_policy, states)

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
