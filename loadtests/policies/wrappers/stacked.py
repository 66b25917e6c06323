"""Retries over retries: each attempt of one policy is a whole request of another."""

from dataclasses import dataclass, replace

from loadtests.policies.actions import Action, Send, Stop, StopReason
from loadtests.policies.call import Call
from loadtests.policies.outcome import REJECTED, AttemptError, Outcome
from loadtests.policies.policy import Course, RetryPolicy
from loadtests.policies.wrappers.limited import LimitedCourse


@dataclass(frozen=True, slots=True)
class Stacked:
    """`outer` around `inner`, as a loop around a library that retries by itself.

    The outer one sees a request of the inner one as one attempt, with the outcome of its last. Its
    limit on the time of an attempt ends the whole inner request. It cannot hedge: it is never asked
    for a second attempt while one is in flight.
    """

    outer: RetryPolicy
    inner: RetryPolicy

    def begin(self, call: Call) -> "StackedCourse":
        """A new request of the outer one."""
        return StackedCourse(self, call)

    def describe(self) -> str:
        """The rule once, where all layers have the same; else both."""
        texts = [layer.describe() for layer in self.layers()]
        if len(set(texts)) == 1:
            return f"({texts[0]}) × {len(texts)} layers"
        return f"({self.outer.describe()}) around ({self.inner.describe()})"

    def layers(self) -> list[RetryPolicy]:
        """All of them, the outermost first."""
        layers: list[RetryPolicy] = []
        for policy in (self.outer, self.inner):
            layers += policy.layers() if isinstance(policy, Stacked) else [policy]
        return layers


class StackedCourse:
    """One request on its way through both."""

    __slots__ = (
        "_began_s",
        "_call",
        "_inner",
        "_last",
        "_limit",
        "_outer",
        "_policy",
        "_succeeded",
    )

    def __init__(self, policy: Stacked, call: Call) -> None:
        """Not yet started."""
        self._policy = policy
        self._call = call
        self._outer = policy.outer.begin(call)
        self._inner: Course | None = None
        self._limit: LimitedCourse | None = None
        self._last = REJECTED
        self._succeeded: Outcome | None = None
        self._began_s = 0.0

    def start(self, now_s: float) -> Action:
        """The first request of the inner one."""
        return self._outer_said(now_s, self._outer.start(now_s))

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt of the inner one ended."""
        inner = self._inner
        assert inner is not None  # noqa: S101 - an attempt is in flight only while there is one
        self._last = outcome
        if outcome.succeeded:
            self._succeeded = outcome
        return self._inner_said(now_s, inner.finished(now_s, outcome))

    def resumed(self, now_s: float) -> Action:
        """A wait of one of them is over."""
        if self._inner is not None:
            return self._inner_said(now_s, self._inner.resumed(now_s))
        return self._outer_said(now_s, self._outer.resumed(now_s))

    def abandoned(self, now_s: float) -> None:
        """Both give back what they hold."""
        if self._inner is not None:
            self._inner.abandoned(now_s)
        self._outer.abandoned(now_s)

    def _outer_said(self, now_s: float, action: Action) -> Action:
        """The outer one's attempt is a request; anything else is what it is."""
        if not isinstance(action, Send):
            return action
        inner = self._policy.inner.begin(self._call)
        self._limit = None
        if action.timeout_s is not None:
            inner = self._limit = LimitedCourse(inner, action.timeout_s, StopReason.DEADLINE)
        self._inner = inner
        self._began_s = now_s
        self._last = REJECTED  # until an attempt was let out
        self._succeeded = None
        return self._inner_said(now_s, inner.start(now_s))

    def _inner_said(self, now_s: float, action: Action) -> Action:
        """The end of the inner request is the outcome of the outer one's attempt."""
        if not isinstance(action, Stop):
            return action
        self._inner = None
        outcome = replace(self._outcome(action.reason), elapsed_s=max(0.0, now_s - self._began_s))
        return self._outer_said(now_s, self._outer.finished(now_s, outcome))

    def _outcome(self, reason: StopReason) -> Outcome:
        if reason is StopReason.SUCCEEDED and self._succeeded is not None:
            return self._succeeded
        if self._limit is not None and self._limit.ran_out:
            return Outcome(status=None, error=AttemptError.TIMEOUT)
        return self._last
