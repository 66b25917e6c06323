"""Hedging: more attempts of one request in flight at once, and the first success ends it."""

from dataclasses import dataclass, field

from loadtests.policies.actions import Action, Await, Send, Stop, StopReason, Wait
from loadtests.policies.budgets import Budget
from loadtests.policies.call import Call
from loadtests.policies.conditions import OVERLOAD, RetryOn, Tally
from loadtests.policies.limits import Deadline
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.units import duration
from loadtests.policies.words import ServerWord, Unheeded

_SLOW = Outcome(status=None, error=AttemptError.TIMEOUT)
"""What a budget is told that a hedge is for: an attempt that has not ended in time."""


def _no_backoff() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Hedging:
    """Up to `attempts` attempts: another whenever `delay_s` has passed and none has succeeded.

    A failure that `non_fatal` covers sends the next at once, or when the server's word says; any
    other failure ends the request, and so does the first success. Without `delay_s` only failures
    send the next; 0 sends all at once. A hedge takes from `budget` what a retry does; where that
    is refused, or the server forbids, no more are sent and those in flight are awaited.
    """

    attempts: int
    delay_s: float | None
    non_fatal: RetryOn = OVERLOAD
    word: ServerWord = field(default_factory=Unheeded)
    budget: Budget | None = None
    deadline: Deadline | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for fewer than one attempt, or a delay below 0."""
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}: expected 1 or more")
        if self.delay_s is not None and not 0 <= self.delay_s < float("inf"):
            raise ValueError(f"delay_s is {self.delay_s}: expected a finite number, 0 or more")

    def begin(self, call: Call) -> "HedgingCourse":
        """A new request."""
        return HedgingCourse(self, call)

    def parts(self) -> dict[str, str]:
        """Each part in words and formulas, by what it is."""
        word = self.word.describe()
        after = "" if self.delay_s is None else f"every {duration(self.delay_s)}, and "
        parts = {
            "attempts": str(self.attempts),
            "another attempt": f"{after}at once after a failure" + (f", {word}" if word else ""),
            "not final": self.non_fatal.describe(),
        }
        if self.deadline is not None:
            parts["deadline"] = self.deadline.describe()
        if self.budget is not None:
            parts["budget"] = self.budget.describe()
        return parts

    def describe(self) -> str:
        """All parts in a line."""
        return "; ".join(f"{name}: {text}" for name, text in self.parts().items())


class HedgingCourse:
    """One request on its way through a `Hedging`.

    Attempts are not told apart: what the budget gave for one of them is settled with whichever
    ends first. `_paid` is what it gave for a hedge that has not been sent yet.
    """

    __slots__ = (
        "_call",
        "_ended_as",
        "_held",
        "_in_flight",
        "_paid",
        "_policy",
        "_sent",
        "_started_s",
        "_tally",
    )

    def __init__(self, policy: Hedging, call: Call) -> None:
        """Not yet started."""
        self._policy = policy
        self._call = call
        self._tally: Tally = {}
        self._held: list[float] = []
        self._paid: float | None = 0.0
        self._in_flight = 0
        self._sent = 0
        self._started_s = 0.0
        self._ended_as: StopReason | None = None

    def start(self, now_s: float) -> Action:
        """The first attempt, which nothing holds back."""
        self._started_s = now_s
        if self._policy.budget is not None:
            self._policy.budget.requested(now_s)
        return self._send(now_s)

    def resumed(self, now_s: float) -> Action:
        """A hedge is due, or the wait that the server asked for is over."""
        if self._ended_as is not None or not self._pays(now_s, _SLOW):
            return self._await_rest(now_s)
        return self._send(now_s)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt ended: the request with it, or another is sent, or the others are awaited."""
        policy = self._policy
        self._in_flight -= 1
        retryable = not outcome.succeeded and self._is_worth_it(outcome)
        if policy.budget is not None:
            policy.budget.observed(now_s, outcome, retryable, self._held.pop(0))
        if outcome.succeeded:
            return self._stop(now_s, StopReason.SUCCEEDED)
        if not retryable:
            return self._stop(now_s, StopReason.NOT_RETRYABLE)
        if policy.word.forbids(outcome):
            self._ended_as = StopReason.FORBIDDEN
        if self._ended_as is not None or not self._pays(now_s, outcome):
            return self._await_rest(now_s)
        wait_s = policy.word.wait_s(outcome, _no_backoff, self._call.rng)
        return self._send_in(now_s, wait_s) if wait_s > 0 else self._send(now_s)

    def abandoned(self, now_s: float) -> None:
        """Give back what the budget gave."""
        self._close(now_s)

    def _is_worth_it(self, outcome: Outcome) -> bool:
        kind = outcome.kind
        self._tally[kind] = self._tally.get(kind, 0) + 1
        return self._policy.non_fatal.retries(self._call, outcome, self._tally)

    def _pays(self, now_s: float, outcome: Outcome) -> bool:
        """Whether the budget allows another attempt. Once it does not, none is sent any more."""
        if self._paid is None:
            budget = self._policy.budget
            self._paid = 0.0 if budget is None else budget.withdraw(now_s, outcome)
            if self._paid is None:
                self._ended_as = StopReason.BUDGET
        return self._paid is not None

    def _send(self, now_s: float) -> Action:
        """An attempt that has been paid for, and when to send the next."""
        policy = self._policy
        timeout_s = None
        if policy.deadline is not None:
            timeout_s = policy.deadline.attempt_s(self._elapsed_s(now_s))
            if timeout_s is not None and timeout_s <= 0:
                self._ended_as = StopReason.DEADLINE
                return self._await_rest(now_s)
        self._held.append(self._paid or 0.0)
        self._paid = None
        self._sent += 1
        self._in_flight += 1
        if self._sent >= policy.attempts:
            self._ended_as = StopReason.OUT_OF_ATTEMPTS
            return Send(timeout_s)
        return Send(timeout_s, policy.delay_s)

    def _elapsed_s(self, now_s: float) -> float:
        """Since the start; a clock that stepped back before it gives nobody more time."""
        return max(0.0, now_s - self._started_s)

    def _send_in(self, now_s: float, wait_s: float) -> Action:
        """The server named a delay: wait for it, while others are in flight or not."""
        deadline = self._policy.deadline
        if deadline is not None:
            allowed_s = deadline.wait_s(self._elapsed_s(now_s), wait_s)
            if allowed_s is None:
                self._ended_as = StopReason.DEADLINE
                return self._await_rest(now_s)
            wait_s = allowed_s
        return Await(wait_s) if self._in_flight else Wait(wait_s)

    def _await_rest(self, now_s: float) -> Action:
        """No more are sent: the request ends with the last in flight, or here."""
        if self._in_flight:
            return Await()
        return self._stop(now_s, self._ended_as or StopReason.OUT_OF_ATTEMPTS)

    def _stop(self, now_s: float, reason: StopReason) -> Action:
        self._close(now_s)
        return Stop(reason)

    def _close(self, now_s: float) -> None:
        if self._policy.budget is not None:
            self._policy.budget.closed(now_s, sum(self._held) + (self._paid or 0.0))
            self._held.clear()
            self._paid = None
