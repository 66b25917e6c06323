"""Policies of one's own, as a scenario names them."""

from loadtests.policies import (
    SEND,
    Action,
    Call,
    Outcome,
    RetryPolicy,
    Stop,
    StopReason,
    Wait,
)
from loadtests.policies.backoff import Fixed
from loadtests.policies.conditions import Conditions
from loadtests.policies.hedging import Hedging
from loadtests.policies.limits import Spans
from loadtests.policies.retry import Retry

FAILURES = Conditions(statuses=frozenset({429, 500, 503, 504}))


def bounded() -> RetryPolicy:
    """Each attempt has 300 ms, but the last."""
    return Retry(3, Fixed(0.05), FAILURES, timeout_s=0.3, bounds_last=False)


def hasty() -> RetryPolicy:
    """One attempt, for which it has 300 ms."""
    return Retry(1, Fixed(0.05), FAILURES, timeout_s=0.3)


def within() -> RetryPolicy:
    """All of it has 900 ms, hedges too."""
    return Hedging(4, 0.1, FAILURES, deadline=Spans(0.9))


HEARD: list[tuple[float, Outcome]] = []
"""What those who hear have heard, and when."""


class Hearing:
    """One attempt, whatever becomes of it, and it is remembered."""

    def begin(self, call: Call) -> "Hearing":
        """Without state."""
        del call
        return self

    def start(self, now_s: float) -> Action:
        """Send it."""
        del now_s
        return SEND

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """Remember."""
        HEARD.append((now_s, outcome))
        return Stop(StopReason.SUCCEEDED if outcome.succeeded else StopReason.NOT_RETRIED)

    def resumed(self, now_s: float) -> Action:
        """Never asked."""
        raise AssertionError(now_s)

    def abandoned(self, now_s: float) -> None:
        """Nothing is held."""

    def describe(self) -> str:
        """In words."""
        return "hears"


def hearing() -> RetryPolicy:
    """A client that hears."""
    return Hearing()


class Impatient(Hearing):
    """Asks again at once, for ever, and never sends."""

    def start(self, now_s: float) -> Action:
        """Wait, for nothing."""
        del now_s
        return Wait(0.0)

    def resumed(self, now_s: float) -> Action:
        """Again."""
        del now_s
        return Wait(0.0)


def impatient() -> RetryPolicy:
    """A policy that runs in circles."""
    return Impatient()


class Raising(Hearing):
    """Fails when it is told of an outcome."""

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """Raise."""
        raise ZeroDivisionError(now_s, outcome)


def raising() -> RetryPolicy:
    """A policy that is broken."""
    return Raising()
