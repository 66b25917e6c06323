"""The policies: never retry, or retry with a backoff, a limit on attempts and perhaps a budget."""

from random import Random

from loadtests.policies.actions import Action, Send, Stop, StopReason, Wait
from loadtests.policies.backoff import Backoff
from loadtests.policies.budget import TokenBudget
from loadtests.policies.outcome import Outcome


class NoRetry:
    """One attempt, whatever becomes of it."""

    def on_request(self, now_s: float) -> Action:
        """Send it."""
        return Send()

    def on_outcome(self, now_s: float, attempt: int, outcome: Outcome, rng: Random) -> Action:
        """Stop."""
        return Stop(StopReason.SUCCEEDED if outcome.succeeded else StopReason.NOT_RETRIED)

    def on_resume(self, now_s: float, attempt: int) -> Action:
        """Never asked, since it never answers with a wait."""
        return Send()

    def describe(self) -> str:
        """In words."""
        return "one attempt"


class Retry:
    """Up to `attempts` attempts (the first included) with a backoff and perhaps a budget.

    The checks come in the article's order: success, can it succeed, attempts left, budget left,
    and only then is a wait drawn.
    """

    def __init__(self, attempts: int, backoff: Backoff, budget: TokenBudget | None = None) -> None:
        """Raises `ValueError` for fewer than one attempt."""
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}: expected 1 or more")
        self._attempts = attempts
        self._backoff = backoff
        self._budget = budget

    def on_request(self, now_s: float) -> Action:
        """Fill the budget; send."""
        if self._budget is not None:
            self._budget.deposit()
        return Send()

    def on_outcome(self, now_s: float, attempt: int, outcome: Outcome, rng: Random) -> Action:
        """Stop, or wait and retry."""
        reason = self._reason_to_stop(attempt, outcome)
        return Wait(self._backoff.wait_s(attempt, rng)) if reason is None else Stop(reason)

    def on_resume(self, now_s: float, attempt: int) -> Action:
        """Send the retry."""
        return Send()

    def _reason_to_stop(self, attempt: int, outcome: Outcome) -> StopReason | None:
        if outcome.succeeded:
            return StopReason.SUCCEEDED
        if not outcome.retryable:
            return StopReason.NOT_RETRYABLE
        if attempt >= self._attempts:
            return StopReason.OUT_OF_ATTEMPTS
        if self._budget is not None and not self._budget.withdraw():
            return StopReason.BUDGET
        return None

    def describe(self) -> str:
        """In words and formulas."""
        parts = [f"{self._attempts} attempts", f"wait {self._backoff.describe()}"]
        if self._budget is not None:
            parts.append(self._budget.describe())
        return ", ".join(parts)
