"""A request that is over at a given time, whatever its policy would still do."""

from collections.abc import Callable
from dataclasses import replace

from loadtests.policies.actions import Action, Await, Send, Stop, StopReason, Wait
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.policy import Course

_CLOSE_S = 1e-6
"""Clocks and sums of floats end an attempt a hair before the time that it was given."""


class LimitedCourse:
    """Another course, ended after `limit_s`: waits are cut, attempts get what is left of the time.

    It ends with `reason`; then it `ran_out`. What the other holds is given back by `abandoned`.
    """

    __slots__ = ("_cut_short", "_ends_s", "_limit_s", "_of", "_reason", "ran_out")

    def __init__(self, of: Course, limit_s: float, reason: StopReason) -> None:
        """Not yet started."""
        self._of = of
        self._limit_s = limit_s
        self._reason = reason
        self._ends_s = 0.0
        self._cut_short = False
        self.ran_out = False

    def start(self, now_s: float) -> Action:
        """The time begins to run."""
        self._ends_s = now_s + self._limit_s
        return self._within(now_s, self._of.start)

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt ended. By a timeout at the end of the time, it was ended for that."""
        if outcome.error is AttemptError.TIMEOUT and now_s >= self._ends_s - _CLOSE_S:
            return self._stop(now_s)
        return self._within(now_s, lambda at_s: self._of.finished(at_s, outcome))

    def resumed(self, now_s: float) -> Action:
        """The wait is over, or the time is."""
        if self._cut_short:
            return self._stop(now_s)
        return self._within(now_s, self._of.resumed)

    def abandoned(self, now_s: float) -> None:
        """As the other."""
        self._of.abandoned(now_s)

    def _stop(self, now_s: float) -> Stop:
        self.ran_out = True
        self._of.abandoned(now_s)
        return Stop(self._reason)

    def _within(self, now_s: float, ask: Callable[[float], Action]) -> Action:
        """What the other answers, as far as there is time for it."""
        action = ask(now_s)
        if isinstance(action, Stop):
            return action
        left_s = min(self._limit_s, self._ends_s - now_s)
        self._cut_short = False
        if isinstance(action, Send):
            return self._stop(now_s) if left_s <= 0 else self._sooner(action, left_s)
        self._cut_short = action.seconds is None or action.seconds >= left_s
        if not self._cut_short:
            return action
        # Nobody waits for nothing: whoever would be gone at the end of the wait goes then.
        left_s = max(0.0, left_s)
        return Wait(left_s) if isinstance(action, Wait) else Await(left_s)

    def _sooner(self, action: Send, left_s: float) -> Send:
        timeout_s, hedge_s = action.timeout_s, action.hedge_after_s
        if hedge_s is not None and hedge_s >= left_s:
            hedge_s = None
        return replace(
            action,
            timeout_s=left_s if timeout_s is None else min(timeout_s, left_s),
            hedge_after_s=hedge_s,
        )
