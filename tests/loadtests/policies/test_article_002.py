"""Article 002: backoff, full jitter, a budget of successes, a breaker, and retrying less."""

from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Call,
    Outcome,
    Request,
    Send,
    Stop,
    StopReason,
    Wait,
    preset,
)
from loadtests.policies.backoff import BackoffState, BandJitter, Exponential, FullJitter
from loadtests.policies.budgets import ShareOf, WindowBudget
from loadtests.policies.call import IDEMPOTENT_METHODS
from loadtests.policies.conditions import Conditions
from loadtests.policies.guards import ConsecutiveBreaker
from loadtests.policies.limits import Spans
from loadtests.policies.retry import Retry
from tests.loadtests.policies.drive import OVERLOADED, SERVED, Driven, drive

NAME = "seed-002-success-budget"


def after_successes(successes: int, failing: int = 1, **parameters: object) -> list[Driven]:
    """So many good requests, and then failing ones, at the same time."""
    policy = preset(NAME, **parameters).build()
    for _ in range(successes):
        drive(policy, [SERVED])
    return [drive(policy, [OVERLOADED] * 5) for _ in range(failing)]


def test_five_attempts_with_full_jitter_below_100_to_800_ms() -> None:
    """The waits of 2,000 requests: each within its window, and all of it used."""
    policy = preset(NAME).build()
    assert isinstance(policy, Retry)
    rng = Random(2)
    unbudgeted = Retry(policy.attempts, policy.backoff, policy.retry_on)
    driven = [drive(unbudgeted, [OVERLOADED] * 5, rng=rng) for _ in range(2000)]
    assert {request.attempts for request in driven} == {5}
    for number, window_s in enumerate([0.1, 0.2, 0.4, 0.8]):
        waits = [request.waits[number] for request in driven]
        assert 0 <= min(waits) < 0.01 * window_s
        assert 0.99 * window_s < max(waits) <= window_s


def test_full_jitter_spreads_a_crowd_twice_as_wide_as_equal_jitter() -> None:
    """Equal jitter leaves half of the interval empty: its busiest tenth is twice as full."""
    rng, state = Random(3), BackoffState(retry=4)
    busiest = []
    for backoff in (FullJitter(Exponential(0.1)), BandJitter(Exponential(0.1), 0.5, 1.0)):
        tenths = [0] * 10
        for _ in range(10_000):
            tenths[min(9, int(backoff.wait_s(state, rng) / 0.08))] += 1
        busiest.append(max(tenths))
    assert busiest[1] / busiest[0] == pytest.approx(2.0, rel=0.1)


def test_a_total_outage_gets_no_retries_at_all() -> None:
    """Nothing succeeds, so there is nothing that retries may be a tenth of."""
    requests = after_successes(0, failing=1000)
    assert {request.attempts for request in requests} == {1}
    assert {request.reason for request in requests} == {StopReason.BUDGET}


@pytest.mark.parametrize(("successes", "retries"), [(1, 1), (10, 1), (11, 2), (100, 10)])
def test_retries_are_at_most_a_tenth_of_recent_successes(successes: int, retries: int) -> None:
    """``retries >= successes · ratio`` refuses, as in the article's listing."""
    requests = after_successes(successes, failing=100)
    assert sum(request.attempts - 1 for request in requests) == retries


def test_successes_are_recent_for_the_window_only() -> None:
    """10 s by default; then they earn nothing any more."""
    policy = preset(NAME).build()
    for _ in range(100):
        drive(policy, [SERVED])
    assert drive(policy, [OVERLOADED, SERVED], start_s=9.4).attempts == 2
    assert drive(policy, [OVERLOADED, SERVED], start_s=21.0).attempts == 1


@pytest.mark.parametrize(
    ("outcome", "retried"),
    [
        (Outcome(status=503), True),
        (Outcome(status=None, error=AttemptError.CONNECT_TIMEOUT), True),
        (Outcome(status=400), False),
        (Outcome(status=401), False),
        (Outcome(status=404), False),
    ],
)
def test_only_what_may_succeed_next_time_is_retried(outcome: Outcome, retried: bool) -> None:
    """A 400 fails identically every time."""
    policy = preset(NAME).build()
    drive(policy, [SERVED])
    assert drive(policy, [outcome, SERVED]).attempts == (2 if retried else 1)


def test_a_post_is_not_retried_unless_it_carries_a_key() -> None:
    """It can bill twice."""
    for key, attempts in [(False, 1), (True, 2)]:
        policy = preset(NAME).build()
        drive(policy, [SERVED])
        driven = drive(policy, [OVERLOADED, SERVED], method="POST", has_idempotency_key=key)
        assert driven.attempts == attempts


def test_the_callers_deadline_bounds_the_total() -> None:
    """It ends the wait and the attempt; nothing goes out after it."""
    policy = preset(NAME, deadline="1s").build()
    drive(policy, [SERVED])
    request = Request(policy, Call(Random(0)))
    assert request.start(1.0) == Send(1.0)
    request.sent()
    wait = request.finished(1.99, OVERLOADED)
    assert isinstance(wait, Wait)
    assert wait.seconds <= 0.0100001
    assert request.resumed(2.0) == Stop(StopReason.DEADLINE)


def test_a_mature_client_uses_all_of_them() -> None:
    """One policy with a budget, a breaker and a deadline: each of its checks stops in its turn."""
    policy = Retry(
        5,
        FullJitter(Exponential(0.1)),
        Conditions(methods=IDEMPOTENT_METHODS),
        budget=WindowBudget(0.1, ShareOf.SUCCESSES),
        guard=ConsecutiveBreaker(threshold=5, cooldown_s=5.0),
        deadline=Spans(1.0),
    )

    def ends(*outcomes: Outcome, at_s: float, method: str = "GET") -> tuple[int, StopReason]:
        driven = drive(policy, outcomes, start_s=at_s, method=method)
        return driven.attempts, driven.reason

    late = Outcome(status=503, elapsed_s=1.0)
    assert ends(OVERLOADED, at_s=0.0, method="POST") == (1, StopReason.NOT_RETRYABLE)
    assert ends(Outcome(status=400), at_s=0.0) == (1, StopReason.NOT_RETRYABLE)
    assert ends(OVERLOADED, at_s=0.0) == (1, StopReason.BUDGET)  # nothing has succeeded yet
    for _ in range(100):
        assert ends(SERVED, at_s=0.0) == (1, StopReason.SUCCEEDED)
    assert ends(OVERLOADED, SERVED, at_s=0.0) == (2, StopReason.SUCCEEDED)
    assert ends(late, at_s=0.0) == (1, StopReason.DEADLINE)
    assert ends(SERVED, at_s=1.0) == (1, StopReason.SUCCEEDED)
    assert ends(*[OVERLOADED] * 5, at_s=1.0) == (5, StopReason.OUT_OF_ATTEMPTS)
    # That was the fifth failure in a row: what the budget would still let out is not sent.
    assert ends(at_s=3.0) == (0, StopReason.BREAKER)
    assert ends(SERVED, at_s=8.0) == (1, StopReason.SUCCEEDED)  # the one trial
    assert ends(SERVED, at_s=8.0) == (1, StopReason.SUCCEEDED)
