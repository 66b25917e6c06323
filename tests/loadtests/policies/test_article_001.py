"""Article 001: five properties of its helper, and what it says besides.

Its simulation is played in `simulation.articles`.
"""

from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Outcome,
    StopReason,
    preset,
)
from loadtests.policies.backoff import BackoffState
from loadtests.policies.retry import Retry
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

NAME = "seed-001-grpc-budget"


# The five properties


def test_a_flaky_call_succeeds_after_two_failures_with_three_calls() -> None:
    """Property 1."""
    driven = drive(preset(NAME).build(), [OVERLOADED, OVERLOADED, SERVED])
    assert (driven.attempts, driven.reason) == (3, StopReason.SUCCEEDED)


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_a_permanently_failing_call_stops_after_max_attempts(most: int) -> None:
    """Property 2, with a budget that does not come into it."""
    driven = drive(preset(NAME, max_attempts=most, max_tokens=1000).build(), [OVERLOADED] * most)
    assert (driven.attempts, driven.reason) == (most, StopReason.OUT_OF_ATTEMPTS)


def test_a_400_makes_one_call() -> None:
    """Property 3."""
    driven = drive(preset(NAME).build(), [Outcome(status=400)])
    assert (driven.attempts, driven.reason) == (1, StopReason.NOT_RETRYABLE)


def test_ten_failing_requests_with_one_budget_make_13_calls() -> None:
    """Property 4: not the 30 that three attempts each would allow; 3 + 2 + 8 · 1."""
    policy = preset(NAME).build()
    driven = [drive(policy, [OVERLOADED] * 3) for _ in range(10)]
    assert [request.attempts for request in driven] == [3, 2] + [1] * 8
    assert sum(request.attempts for request in driven) == 13
    assert driven[1].reason is StopReason.BUDGET


def test_every_delay_is_within_its_bound() -> None:
    """Property 5: ``U(0, min(5 s, 100 ms · 2^attempt))``, attempt from 0; 1,000 draws of each."""
    policy = preset(NAME, max_attempts=20, max_tokens=1000).build()
    assert isinstance(policy, Retry)
    rng = Random(1)
    for attempt in range(20):
        most_s = min(5.0, 0.1 * 2**attempt)
        state = BackoffState(retry=attempt + 1)
        waits = [policy.backoff.wait_s(state, rng) for _ in range(1000)]
        assert 0 <= min(waits) < 0.02 * most_s
        assert 0.98 * most_s < max(waits) <= most_s


# What else it says


def test_a_budget_in_each_process_caps_the_process_and_not_the_fleet() -> None:
    """N clients have N reserves: ten requests from each of 100 make 1,300 calls, not 1,003."""

    def calls(states: int, requests: int) -> int:
        policies = [preset(NAME).build() for _ in range(states)]
        return sum(
            drive(policies[number % states], [OVERLOADED] * 3).attempts
            for number in range(requests)
        )

    assert calls(1, 1000) == 1003
    assert calls(100, 1000) == 1300
    assert calls(1000, 1000) == 3000  # one request each: it bounds nothing


def test_successes_earn_retries_back() -> None:
    """A tenth each: ten for one more."""
    policy = preset(NAME).build()
    for _ in range(10):
        drive(policy, [OVERLOADED] * 3)
    assert drive(policy, [OVERLOADED] * 3).attempts == 1
    for _ in range(61):  # of 0 tokens 6.1; the failure takes 1, and 5.1 are more than half
        drive(policy, [SERVED])
    assert drive(policy, [OVERLOADED] * 3).attempts == 2


@pytest.mark.parametrize(
    ("method", "key", "retried"),
    [("GET", False, True), ("PUT", False, True), ("POST", False, False), ("POST", True, True)],
)
def test_only_what_is_safe_to_repeat_is_retried(method: str, key: bool, retried: bool) -> None:
    """A retried charge without an idempotency key can duplicate the charge."""
    policy = preset(NAME).build()
    driven = drive(policy, [OVERLOADED, SERVED], method=method, has_idempotency_key=key)
    assert driven.reason is (StopReason.SUCCEEDED if retried else StopReason.NOT_RETRYABLE)


def test_a_hidden_layer_multiplies_one_that_is_known() -> None:
    """Three attempts through a mesh that by default retries twice what it cannot connect to: 9."""
    refused = Outcome(status=None, error=AttemptError.REFUSED)
    calls = 0

    def through_the_mesh(number: int) -> Outcome:
        nonlocal calls
        driven = drive(preset("istio-1.27").build(), lambda attempt: refused)
        calls += driven.attempts
        return OVERLOADED

    drive(preset(NAME).build(), through_the_mesh)  # which answers 503 for what it cannot reach
    assert calls == 9


def test_jitter_changes_when_retries_come_and_not_how_many() -> None:
    """In a total outage: as many with it as without; only the budget cuts them."""
    plain, jittered = preset("exponential", attempts=3), preset("full-jitter", attempts=3)
    for source, attempts in [(plain, 3000), (jittered, 3000), (preset(NAME), 1003)]:
        policy = source.build()
        assert sum(drive(policy, [OVERLOADED] * 3).attempts for _ in range(1000)) == attempts
