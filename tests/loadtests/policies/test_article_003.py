"""Article 003: one loop with every check. Its crowds are played in `simulation.articles`."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random

import pytest

from loadtests.policies import AttemptError, Outcome, StopReason, preset
from loadtests.policies.backoff import (
    BackoffState,
    Capped,
    Exponential,
    FullJitter,
)
from loadtests.policies.budgets import Bucket
from loadtests.policies.retry import Retry
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

NAME = "seed-003-credits"


def failing(**headers: str) -> Outcome:
    """A 503 with these headers."""
    return Outcome(status=503, headers={k.replace("_", "-"): v for k, v in headers.items()})


# The loop


def test_it_makes_at_most_four_tries_and_sleeps_at_most_1400_ms() -> None:
    """0.2, 0.4 and 0.8 s, each at random from 0 up."""
    rng = Random(1)
    policy = preset(NAME).build()
    assert isinstance(policy, Retry)
    unbudgeted = Retry(4, policy.backoff, policy.retry_on, policy.word, deadline=policy.deadline)
    driven = [drive(unbudgeted, [OVERLOADED] * 4, rng=rng) for _ in range(2000)]
    assert {request.attempts for request in driven} == {4}
    for number, most_s in enumerate([0.2, 0.4, 0.8]):
        waits = [request.waits[number] for request in driven]
        assert 0 <= min(waits) < 0.01 * most_s
        assert 0.99 * most_s < max(waits) <= most_s


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_can_pass_is_retried(status: int) -> None:
    """And timeouts and dropped connections."""
    assert drive(preset(NAME).build(), [Outcome(status=status), SERVED]).attempts == 2


@pytest.mark.parametrize("error", [AttemptError.TIMEOUT, AttemptError.RESET, AttemptError.CLOSED])
def test_timeouts_and_dropped_connections_are_retried(error: AttemptError) -> None:
    """The service may be fine a moment later."""
    outcome = Outcome(status=None, error=error)
    assert drive(preset(NAME).build(), [outcome, SERVED]).attempts == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_what_cannot_pass_is_not(status: int) -> None:
    """A 500 neither, as in the listing."""
    driven = drive(preset(NAME).build(), [Outcome(status=status)])
    assert (driven.attempts, driven.reason) == (1, StopReason.NOT_RETRYABLE)


def test_a_500_is_retried_once_at_most_where_that_is_asked_for() -> None:
    """As in the text: the second one is the last; a 503 in between does not change that."""
    error = Outcome(status=500)
    once = preset(NAME, retries_of_500=1)
    assert drive(once.build(), [error, error]).attempts == 2
    assert drive(once.build(), [error, OVERLOADED, error]).attempts == 3
    assert drive(once.build(), [error, SERVED]).reason is StopReason.SUCCEEDED
    assert drive(once.build(), [error], method="POST").attempts == 1


def test_only_what_is_safe_to_repeat_is_retried() -> None:
    """A POST with a key, or where it is said to be harmless."""
    outcomes = [OVERLOADED, SERVED]
    assert drive(preset(NAME).build(), outcomes, method="POST").attempts == 1
    keyed = drive(preset(NAME).build(), outcomes, method="POST", has_idempotency_key=True)
    assert keyed.attempts == 2
    harmless = preset(NAME, safe_only=False).build()
    assert drive(harmless, outcomes, method="POST").attempts == 2


def test_the_wait_is_full_jitter_plus_retry_after() -> None:
    """Never `max()` of the two: a crowd that is told 2 s comes back over 200 ms, not at once."""
    rng, policy = Random(2), preset(NAME, max_credits=1_000_000).build()
    waits = [
        drive(policy, [failing(retry_after="2"), SERVED], rng=rng).waits[0] for _ in range(2000)
    ]
    assert 2.0 <= min(waits) < 2.002
    assert 2.198 < max(waits) <= 2.2
    assert len(set(waits)) == 2000


def test_retry_after_may_be_a_date() -> None:
    """Converted to seconds by the time of the answer, in GMT."""
    now = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
    header = format_datetime(now + timedelta(seconds=2), usegmt=True)
    outcome = Outcome(status=503, headers={"retry-after": header}, received_epoch_s=now.timestamp())
    (wait_s,) = drive(preset(NAME).build(), [outcome, SERVED]).waits
    assert 2.0 <= wait_s <= 2.2


def test_a_wait_that_would_miss_the_deadline_is_not_begun() -> None:
    """3 s, the time already spent included; it does not cost the budget anything."""
    policy = preset(NAME, max_credits=10).build()
    driven = drive(policy, [failing(retry_after="3")])
    assert (driven.attempts, driven.waits, driven.reason) == (1, [], StopReason.DEADLINE)
    slow = Outcome(status=503, elapsed_s=2.9)
    attempts = []
    for seed in range(200):
        driven = drive(preset(NAME).build(), [slow, SERVED], rng=Random(seed))
        assert 2.9 + sum(driven.waits) <= 3.0
        attempts.append(driven.attempts)
    assert 60 < attempts.count(2) < 140  # half of U(0, 200 ms) is too long
    assert drive(policy, [Outcome(status=503, elapsed_s=3.1)]).reason is StopReason.DEADLINE
    assert drive(preset(NAME, deadline="none").build(), [failing(retry_after="60"), SERVED]).waits


# The budget


def test_4000_calls_become_1109() -> None:
    """1,000 requests to a service that always answers 503, without the budget and with it."""
    policy = preset(NAME).build()
    assert isinstance(policy, Retry)
    without = Retry(4, policy.backoff, policy.retry_on)
    assert sum(drive(without, [OVERLOADED] * 4).attempts for _ in range(1000)) == 4000
    assert sum(drive(policy, [OVERLOADED] * 4).attempts for _ in range(1000)) == 1109


def test_a_short_blip_can_use_ten_retries_straight_away() -> None:
    """It starts full, and its fourth request finds it empty: 3 + 3 + 3 + 1."""
    policy = preset(NAME).build()
    attempts = [drive(policy, [OVERLOADED] * 4).attempts for _ in range(5)]
    assert attempts == [4, 4, 4, 2, 1]


def test_a_quiet_hour_saves_up_no_more_than_a_hundred_credits() -> None:
    """Ten retries again, however many requests went well."""
    policy = preset(NAME).build()
    for _ in range(10_000):
        drive(policy, [SERVED])
    assert sum(drive(policy, [OVERLOADED] * 4).attempts - 1 for _ in range(9)) == 10


def test_the_last_credits_pay_for_a_retry_too() -> None:
    """Exactly as many as it costs are enough; one fewer are not."""
    budget = Bucket(cost=10, most=10)
    assert budget.withdraw(0.0, OVERLOADED) == 10
    for _ in range(9):
        budget.requested(0.0)
    assert budget.withdraw(0.0, OVERLOADED) is None
    budget.requested(0.0)
    assert budget.withdraw(0.0, OVERLOADED) == 10


def test_credits_never_allow_more_than_they_say() -> None:
    """(100 + requests) / 10 retries, in any order, for any figures; and never below 0."""
    rng = Random(3)
    for _ in range(200):
        cost = rng.randint(1, 30)
        budget = Bucket(cost=cost, most=rng.randint(cost, 200))
        requests = retries = 0
        for _ in range(400):
            if rng.random() < 0.5:
                budget.requested(0.0)
                requests += 1
            else:
                retries += budget.withdraw(0.0, OVERLOADED) is not None
            assert 0 <= budget.credits <= budget.most
            assert retries * cost <= budget.most + requests


def test_a_retry_that_could_never_be_paid_is_refused_at_once() -> None:
    """Naming both parameters."""
    with pytest.raises(ValueError, match="retry_cost is 10: expected at most max_credits, 5"):
        preset(NAME, max_credits=5)


# A crowd that is told when to come back


def test_retry_after_by_max_is_a_herd_and_added_is_none() -> None:
    """2,000 clients that are all told 2 s: in one slot, or spread over the jitter."""
    rng = Random(5)
    backoff = FullJitter(Capped(Exponential(0.2), 5.0))
    jitters = [backoff.wait_s(BackoffState(retry=1), rng) for _ in range(2000)]
    by_max = {int(max(2.0, jitter) * 100) for jitter in jitters}
    added = [int((2.0 + jitter) * 100) for jitter in jitters]
    assert len(by_max) == 1
    assert max(added.count(slot) for slot in set(added)) < 150
