"""What a retry policy must answer."""

from random import Random
from typing import Protocol

from loadtests.policies.actions import Action
from loadtests.policies.outcome import Outcome


class RetryPolicy(Protocol):
    """Decides after each attempt. Lives as long as its scope, and owns the state of that scope.

    One object may serve one client, one process or a whole lane: it is told of every request
    and of every outcome in that scope. `now_s` is any clock that does not step back.
    """

    def on_request(self, now_s: float) -> Action:
        """A new request wants its first attempt."""
        ...

    def on_outcome(self, now_s: float, attempt: int, outcome: Outcome, rng: Random) -> Action:
        """Attempt number `attempt`, from 1, ended. A success must be answered with `Stop`."""
        ...

    def on_resume(self, now_s: float, attempt: int) -> Action:
        """The wait before attempt number `attempt` is over."""
        ...

    def describe(self) -> str:
        """The rule in words and formulas, for the report."""
        ...
