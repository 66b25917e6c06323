"""A budget that does not tell a failure worth a retry from one that is not."""

from dataclasses import dataclass

from loadtests.policies.budgets.rule import Budget
from loadtests.policies.outcome import Outcome


@dataclass(frozen=True, slots=True)
class EveryFailure:
    """Tells another budget that each failure could be retried, as article 001's helper does.

    A flood of 400s then empties a bucket that is there for overload (aws/aws-sdk-js-v3#4754).
    """

    of: Budget

    def requested(self, now_s: float) -> None:
        """As it is."""
        self.of.requested(now_s)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A failure is a failure."""
        self.of.observed(now_s, outcome, not outcome.succeeded, held)

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """As it is."""
        return self.of.withdraw(now_s, outcome)

    def closed(self, now_s: float, held: float) -> None:
        """As it is."""
        self.of.closed(now_s, held)

    def describe(self) -> str:
        """As it is, and what is different."""
        return f"{self.of.describe()}; any failure counts"
