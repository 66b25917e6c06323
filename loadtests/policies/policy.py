"""What a retry policy must answer."""

from typing import Protocol

from loadtests.policies.actions import Action
from loadtests.policies.call import Call
from loadtests.policies.outcome import Outcome


class Course(Protocol):
    """One request on its way through a policy.

    `now_s` is of any clock. Should it step back, nothing raises, and no wait is below 0 or endless.
    """

    def start(self, now_s: float) -> Action:
        """The first attempt is wanted."""
        ...

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt in flight ended."""
        ...

    def resumed(self, now_s: float) -> Action:
        """The wait that was last answered (`Wait`, `Await` or a hedge's) is over."""
        ...

    def abandoned(self, now_s: float) -> None:
        """Nobody wants the answer any more: give back what is held. Nothing is asked after it."""
        ...


class RetryPolicy(Protocol):
    """Decides what follows an attempt. Lives as long as its scope, and owns that scope's state.

    One object may serve one client, one process or a whole lane: each request in that scope has a
    `Course` made by it, and budgets and breakers are shared between them.
    """

    def begin(self, call: Call) -> Course:
        """A new request, not yet started."""
        ...

    def describe(self) -> str:
        """The rule in words and formulas, for the report."""
        ...
