"""A retry policy of your own: two retries, but none after five failed attempts in a row.

Run `aftershock run --policy no-retry --policy examples.own_policy:make`.
"""

from loadtests.policies import SEND, Action, Call, Course, Outcome, Stop, StopReason, Wait


class Wary:
    """The policy: one object for all clients that share its state."""

    def __init__(self, attempts: int = 3, patience: int = 5) -> None:
        """Retries stop after `patience` failed attempts in a row, of whatever request."""
        self.attempts = attempts
        self.patience = patience
        self.failed_in_a_row = 0

    def begin(self, call: Call) -> Course:
        """A new request."""
        return WaryCourse(self, call)

    def describe(self) -> str:
        """What the report says of it."""
        return f"{self.attempts} attempts; no retry after {self.patience} failures in a row"


class WaryCourse:
    """One request. It is told what happened, and answers what to do next."""

    def __init__(self, policy: Wary, call: Call) -> None:
        """`call.rng` is where jitter is drawn from, so that a seed repeats a run."""
        self.policy = policy
        self.call = call
        self.tries = 0

    def start(self, now_s: float) -> Action:
        """The first attempt."""
        return SEND

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt ended."""
        self.tries += 1
        if outcome.succeeded:
            self.policy.failed_in_a_row = 0
            return Stop(StopReason.SUCCEEDED)
        self.policy.failed_in_a_row += 1
        if self.tries >= self.policy.attempts:
            return Stop(StopReason.OUT_OF_ATTEMPTS)
        if self.policy.failed_in_a_row > self.policy.patience:
            return Stop(StopReason.BUDGET)
        return Wait(self.call.rng.uniform(0.0, 0.2 * 2**self.tries))

    def resumed(self, now_s: float) -> Action:
        """The wait is over."""
        return SEND

    def abandoned(self, now_s: float) -> None:
        """The test is over; there is nothing to give back."""


def make(attempts: int = 3, patience: int = 5) -> Wary:
    """Named on the command line; the parameters are those of the scenario's table."""
    return Wary(attempts, patience)
