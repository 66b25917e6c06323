"""Drives requests through policies in virtual time: what the tests of policies share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from loadtests.policies import (
    Await,
    Call,
    Outcome,
    Request,
    RetryPolicy,
    Stop,
    StopReason,
    Wait,
)

OVERLOADED = Outcome(status=503)
SERVED = Outcome(status=200)


@dataclass(frozen=True)
class Driven:
    """One request: its waits in seconds, how many attempts it made, why it ended, and when."""

    waits: list[float]
    attempts: int
    reason: StopReason
    ended_s: float


def drive(
    policy: RetryPolicy,
    outcomes: Iterable[Outcome] | Callable[[int], Outcome],
    *,
    rng: Random | None = None,
    method: str = "GET",
    has_idempotency_key: bool = False,
    start_s: float = 0.0,
    most_attempts: int = 100_000,
) -> Driven:
    """One request whose attempts meet these outcomes, one after another; time moves by its waits.

    An attempt takes its outcome's `elapsed_s`. Hedges are not driven here: `Await` is an error.
    """
    call = Call(rng or Random(0), method, has_idempotency_key)
    request, now_s = Request(policy, call), start_s
    pending = None if callable(outcomes) else iter(outcomes)
    waits: list[float] = []
    action = request.start(now_s)
    while not isinstance(action, Stop):
        if isinstance(action, Wait):
            waits.append(action.seconds)
            now_s += action.seconds
            action = request.resumed(now_s)
        elif isinstance(action, Await):
            raise AssertionError("this policy hedges")
        else:
            number = request.sent()
            assert number <= most_attempts
            outcome = outcomes(number) if callable(outcomes) else next(pending or iter(()))
            now_s += outcome.elapsed_s
            action = request.finished(now_s, outcome)
    return Driven(waits, request.attempts, action.reason, now_s)
