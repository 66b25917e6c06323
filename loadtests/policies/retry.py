"""The loop that puts the parts together: one attempt after another, each check in its place."""

from dataclasses import dataclass, field

from loadtests.policies.actions import SEND, Action, Send, Stop, StopReason, Wait
from loadtests.policies.backoff import Backoff, BackoffState
from loadtests.policies.budgets import Budget
from loadtests.policies.call import Call
from loadtests.policies.conditions import OVERLOAD, RetryOn, Tally
from loadtests.policies.guards import Admitted, Delayed, Guard, Refused
from loadtests.policies.limits import Deadline
from loadtests.policies.outcome import REJECTED, Outcome
from loadtests.policies.units import duration
from loadtests.policies.words import ServerWord, Unheeded


class NoRetry:
    """One attempt, whatever becomes of it. Without state, so it is its own course."""

    def begin(self, call: Call) -> "NoRetry":
        """Itself."""
        return self

    def start(self, now_s: float) -> Action:
        """Send it."""
        return SEND

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """Stop."""
        return Stop(StopReason.SUCCEEDED if outcome.succeeded else StopReason.NOT_RETRIED)

    def resumed(self, now_s: float) -> Action:
        """Never asked, since it never answers with a wait."""
        return SEND

    def abandoned(self, now_s: float) -> None:
        """Nothing is held."""

    def describe(self) -> str:
        """In words."""
        return "one attempt"


@dataclass(frozen=True, slots=True)
class Retry:
    """Up to `attempts` attempts (the first included; no limit where None), put together from parts.

    The checks after an attempt come in this order: success; the server forbids; not worth it; out
    of attempts; the deadline, for which the wait is drawn; the budget. The guard is asked before
    every attempt, and one that it refuses counts as an attempt that failed. `timeout_s` bounds
    each attempt.
    """

    attempts: int | None
    backoff: Backoff
    retry_on: RetryOn = OVERLOAD
    word: ServerWord = field(default_factory=Unheeded)
    budget: Budget | None = None
    guard: Guard | None = None
    deadline: Deadline | None = None
    timeout_s: float | None = None
    bounds_last: bool = True

    def __post_init__(self) -> None:
        """Raises `ValueError` for fewer than one attempt."""
        if self.attempts is not None and self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}: expected 1 or more")

    def begin(self, call: Call) -> "RetryCourse":
        """A new request."""
        return RetryCourse(self, call)

    def parts(self) -> dict[str, str]:
        """Each part in words and formulas, by what it is."""
        word = self.word.describe()
        parts = {"attempts": "no limit" if self.attempts is None else str(self.attempts)}
        if self.attempts != 1:
            parts["wait"] = self.backoff.describe() + (f", {word}" if word else "")
            parts["retries"] = self.retry_on.describe()
        if self.timeout_s is not None:
            but_last = "" if self.bounds_last else ", the last one unbounded"
            parts["an attempt"] = f"at most {duration(self.timeout_s)}{but_last}"
        if self.deadline is not None:
            parts["deadline"] = self.deadline.describe()
        if self.budget is not None:
            parts["budget"] = self.budget.describe()
        if self.guard is not None:
            parts["before an attempt"] = self.guard.describe()
        return parts

    def describe(self) -> str:
        """All parts in a line."""
        return "; ".join(f"{name}: {text}" for name, text in self.parts().items())


class RetryCourse:
    """One request on its way through a `Retry`."""

    __slots__ = (
        "_backoff",
        "_call",
        "_held",
        "_permit",
        "_policy",
        "_started_s",
        "_tally",
        "_tries",
    )

    def __init__(self, policy: Retry, call: Call) -> None:
        """Not yet started."""
        self._policy = policy
        self._call = call
        self._backoff: BackoffState | None = None  # made at the first failure: most have none
        self._tally: Tally | None = None
        self._tries = 0
        self._held = 0.0
        self._permit: Admitted | None = None
        self._started_s = 0.0

    def start(self, now_s: float) -> Action:
        """The first attempt."""
        self._started_s = now_s
        if self._policy.budget is not None:
            self._policy.budget.requested(now_s)
        return self._attempt(now_s)

    def resumed(self, now_s: float) -> Action:
        """The wait is over."""
        return self._attempt(now_s)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt ended."""
        guard, permit = self._policy.guard, self._permit
        if guard is not None and permit is not None:
            self._permit = None
            guard.observed(now_s, outcome, permit.permit)
        return self._ended(now_s, outcome, StopReason.NOT_RETRYABLE)

    def abandoned(self, now_s: float) -> None:
        """Give the permit and the budget back."""
        guard, permit = self._policy.guard, self._permit
        if guard is not None and permit is not None:
            self._permit = None
            guard.released(now_s, permit.permit)
        if self._policy.budget is not None:
            self._policy.budget.closed(now_s, self._held)

    def _attempt(self, now_s: float) -> Action:
        """Send, unless time is up or the guard says otherwise."""
        policy = self._policy
        is_last = self._tries + 1 == policy.attempts
        timeout_s = policy.timeout_s if policy.bounds_last or not is_last else None
        if policy.deadline is not None:
            left_s = policy.deadline.attempt_s(self._elapsed_s(now_s))
            if left_s is not None:
                if left_s <= 0:
                    return self._stop(now_s, StopReason.DEADLINE)
                timeout_s = left_s if timeout_s is None else min(timeout_s, left_s)
        if policy.guard is not None:
            admission = policy.guard.admit(now_s, self._call.rng)
            if isinstance(admission, Delayed):
                return self._delay(now_s, admission.seconds)
            if isinstance(admission, Refused):
                return self._ended(now_s, REJECTED, admission.reason)
            self._permit = admission
        return SEND if timeout_s is None else Send(timeout_s)

    def _elapsed_s(self, now_s: float) -> float:
        """Since the start; a clock that stepped back before it gives nobody more time."""
        return max(0.0, now_s - self._started_s)

    def _delay(self, now_s: float, seconds: float) -> Action:
        """Wait for the guard, but not past the deadline."""
        deadline = self._policy.deadline
        wait_s = seconds if deadline is None else deadline.wait_s(self._elapsed_s(now_s), seconds)
        return self._stop(now_s, StopReason.DEADLINE) if wait_s is None else Wait(wait_s)

    def _ended(self, now_s: float, outcome: Outcome, unworthy: StopReason) -> Action:
        """An attempt ended or was refused: retry or stop. `unworthy`: why, if not worth a retry."""
        policy = self._policy
        self._tries += 1
        succeeded = outcome.succeeded
        retryable = not succeeded and self._is_worth_it(outcome)
        if policy.budget is not None:
            policy.budget.observed(now_s, outcome, retryable, self._held)
            self._held = 0.0
        if succeeded:
            return self._stop(now_s, StopReason.SUCCEEDED)
        if policy.word.forbids(outcome):
            return self._stop(now_s, StopReason.FORBIDDEN)
        if not retryable:
            return self._stop(now_s, unworthy)
        if policy.attempts is not None and self._tries >= policy.attempts:
            return self._stop(now_s, StopReason.OUT_OF_ATTEMPTS)
        return self._back_off(now_s, outcome)

    def _is_worth_it(self, outcome: Outcome) -> bool:
        policy, kind = self._policy, outcome.kind
        tally = self._tally = {} if self._tally is None else self._tally
        tally[kind] = tally.get(kind, 0) + 1
        return policy.retry_on.retries(self._call, outcome, tally) or policy.word.demands(outcome)

    def _back_off(self, now_s: float, outcome: Outcome) -> Action:
        """Wait, if deadline and budget allow."""
        policy = self._policy
        state = self._backoff = self._backoff or BackoffState()
        state.after = outcome
        state.retry += 1  # a retry is one, whoever says how long to wait before it
        wait_s = policy.word.wait_s(outcome, self._own_wait_s, self._call.rng)
        if policy.deadline is not None:
            allowed_s = policy.deadline.wait_s(self._elapsed_s(now_s), wait_s)
            if allowed_s is None:
                return self._stop(now_s, StopReason.DEADLINE)
            wait_s = allowed_s
        if policy.budget is not None:
            held = policy.budget.withdraw(now_s, outcome)
            if held is None:
                return self._stop(now_s, StopReason.BUDGET)
            self._held = held
        if policy.word.restarts_backoff(outcome):
            self._backoff = None
        return Wait(wait_s)

    def _own_wait_s(self) -> float:
        state = self._backoff
        assert state is not None  # noqa: S101 - asked for by `_back_off` alone
        state.previous_s = self._policy.backoff.wait_s(state, self._call.rng)
        return state.previous_s

    def _stop(self, now_s: float, reason: StopReason) -> Action:
        if self._policy.budget is not None:
            self._policy.budget.closed(now_s, self._held)
        return Stop(reason)
