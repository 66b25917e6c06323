"""Layers of retries multiply: in one client, and over a chain of services."""

from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Call,
    Outcome,
    Request,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
    Wait,
    preset,
)
from loadtests.policies.backoff import Fixed
from loadtests.policies.budgets import Bucket
from loadtests.policies.conditions import Conditions
from loadtests.policies.retry import NoRetry, Retry
from loadtests.policies.words import OwnedErrors
from loadtests.policies.wrappers.stacked import Stacked
from tests.loadtests.policies.drive import SERVED, drive

FAILED = Outcome(status=503)
OWNED = Outcome(status=503, headers={"x-aftershock-error-owned": "true"})


def tries(attempts: int) -> RetryPolicy:
    """So many, one after another."""
    return Retry(attempts, Fixed(0.1))


def stack(*policies: RetryPolicy) -> RetryPolicy:
    """The outermost first."""
    *outer, policy = policies
    for around in reversed(outer):
        policy = Stacked(around, policy)
    return policy


@pytest.mark.parametrize(
    ("attempts", "layers", "calls"),
    [(3, 2, 9), (3, 3, 27), (4, 3, 64), (3, 5, 243), (4, 5, 1024), (2, 4, 16)],
)
def test_attempts_multiply_layer_by_layer(attempts: int, layers: int, calls: int) -> None:
    """Articles 000, 001 and 003: 9, 27, 64, 243, 1,024; one retry a hop is 2^d."""
    policy = stack(*[tries(attempts)] * layers)
    driven = drive(policy, lambda number: FAILED)
    assert driven.attempts == calls
    assert driven.reason is StopReason.OUT_OF_ATTEMPTS
    assert len(driven.waits) == calls - 1


def test_one_layer_that_retries_is_as_many_as_it_alone() -> None:
    """Pick one: the others fail fast."""
    assert drive(stack(NoRetry(), tries(4), NoRetry()), lambda number: FAILED).attempts == 4


def test_a_success_ends_all_layers() -> None:
    """The fifth attempt is the second of the second request of the inner one."""
    driven = drive(stack(tries(3), tries(3)), [FAILED] * 4 + [SERVED])
    assert (driven.attempts, driven.reason) == (5, StopReason.SUCCEEDED)


def test_the_outer_one_sees_the_last_outcome_of_the_inner_one() -> None:
    """A 404 is not retried by either."""
    driven = drive(stack(tries(3), tries(3)), [FAILED, Outcome(status=404)])
    assert (driven.attempts, driven.reason) == (2, StopReason.NOT_RETRYABLE)


def test_the_outer_one_times_a_whole_request_of_the_inner_one() -> None:
    """A timeout of 250 ms ends the inner one's third wait; the outer one retries only timeouts."""
    outer = Retry(2, Fixed(1.0), Conditions(statuses=frozenset()), timeout_s=0.25)
    driven = drive(stack(outer, tries(10)), lambda number: FAILED)
    assert driven.waits == pytest.approx([0.1, 0.1, 0.05, 1.0, 0.1, 0.1, 0.05])
    assert driven.attempts == 6


def test_an_attempt_gets_the_rest_of_the_outer_ones_time() -> None:
    """It is cut by whichever ends first, and the outer one takes it for a timeout."""
    outer = Retry(2, Fixed(1.0), timeout_s=3.0)
    request = Request(stack(outer, Retry(5, Fixed(0.5), timeout_s=2.0)), Call(Random(0)))
    assert request.start(0.0) == Send(2.0)
    request.sent()
    assert request.finished(2.0, Outcome(status=None, error=AttemptError.TIMEOUT)) == Wait(0.5)
    assert request.resumed(2.5) == Send(0.5)
    request.sent()
    assert request.finished(3.0, Outcome(status=None, error=AttemptError.TIMEOUT)) == Wait(1.0)
    assert request.resumed(4.0) == Send(2.0)


def test_what_the_inner_breaker_does_not_let_out_is_no_attempt() -> None:
    """The outer loop goes on by its own rule: a rejection is not retried by default."""
    inner = preset("seed-002-breaker", threshold=1).build()
    assert drive(stack(tries(3), inner), [FAILED]).attempts == 1
    driven = drive(stack(tries(3), inner), [], start_s=1.0)
    assert (driven.attempts, driven.reason) == (0, StopReason.NOT_RETRYABLE)


def test_what_is_held_is_given_back_by_all_layers() -> None:
    """A trial of the inner breaker, when the request is abandoned."""
    inner = preset("seed-002-breaker", threshold=1).build()
    policy = stack(tries(3), inner)
    drive(policy, [FAILED])
    request = Request(policy, Call(Random(0)))
    assert request.start(6.0) == Send()
    request.sent()
    request.abandoned(6.5)
    assert drive(policy, [SERVED], start_s=6.6).reason is StopReason.SUCCEEDED


def test_a_hedging_policy_can_be_the_inner_one() -> None:
    """It hedges as it does alone."""
    request = Request(stack(tries(2), preset("polly-8-hedging").build()), Call(Random(0)))
    action = request.start(0.0)
    assert isinstance(action, Send)
    assert action.hedge_after_s == 2.0
    request.sent()
    assert isinstance(request.resumed(2.0), Send)
    request.sent()
    assert request.finished(2.1, SERVED) == Stop(StopReason.SUCCEEDED)


def test_the_preset_multiplies() -> None:
    """Three layers of four: 64, as in article 003; of the stacked, each has a budget of its own."""
    assert drive(preset("stacked-retries").build(), lambda number: FAILED).attempts == 64
    assert drive(preset("stacked-retries", layers=2).build(), lambda n: FAILED).attempts == 16
    with pytest.raises(ValueError, match="expected one without another policy in it"):
        preset("stacked-retries", policy="stacked-retries")


def test_layers_of_one_rule_tell_it_once() -> None:
    """And how many they are; layers that differ tell each of theirs."""
    rule = preset("full-jitter").build().describe()
    assert preset("stacked-retries").build().describe() == f"({rule}) × 3 layers"
    assert preset("stacked-retries", layers=5).build().describe() == f"({rule}) × 5 layers"
    assert preset("stacked-retries", layers=1).build().describe() == rule
    one, two = tries(2), tries(3)
    told = f"({one.describe()}) around ({two.describe()})"
    assert stack(one, two).describe() == told
    assert stack(one, one, two).describe() == f"({one.describe()}) around ({told})"
    assert stack(one, Stacked(one, one)).describe() == f"({one.describe()}) × 3 layers"


# A chain of services


class Chain:
    """Services in a row, each calling the next by its policy; the last one always fails.

    A service claims its error where none of its own calls failed: only the last one's is so.
    """

    def __init__(self, policies: list[RetryPolicy]) -> None:
        """`policies[0]` is that of the user's side."""
        self._policies = policies
        self._rng = Random(0)
        self.calls = [0] * len(policies)

    def request(self, layer: int = 0) -> None:
        """One request to the service below `layer`, with that layer's retries."""

        def attempt(number: int) -> Outcome:
            self.calls[layer] += 1
            if layer == len(self._policies) - 1:
                return OWNED
            self.request(layer + 1)
            return FAILED

        drive(self._policies[layer], attempt, rng=self._rng)


def test_one_retry_per_hop_is_two_to_the_depth() -> None:
    """Uber's analysis, article 001."""
    chain = Chain([tries(2)] * 5)
    chain.request()
    assert chain.calls == [2, 4, 8, 16, 32]


def test_error_ownership_stops_a_storm_at_the_immediate_caller() -> None:
    """The caller of what failed makes its three attempts; nobody further up retries."""
    chain = Chain([preset("error-ownership").build() for _ in range(5)])
    chain.request()
    assert chain.calls == [1, 1, 1, 1, 3]
    without = Chain([tries(3)] * 5)
    without.request()
    assert without.calls == [3, 9, 27, 81, 243]


def test_budgets_still_compound() -> None:
    """(1 + B)^d: 10% at each of five layers is 1.61 at the bottom, where ownership leaves 1."""
    requests = 3000
    chain = Chain([Retry(3, Fixed(0.1), budget=Bucket.of_ratio(0.1, 10)) for _ in range(5)])
    for _ in range(requests):
        chain.request()
    for depth, calls in enumerate(chain.calls, start=1):
        assert calls / requests == pytest.approx(1.1**depth, rel=0.01)


@pytest.mark.parametrize(
    ("outcome", "retried"),
    [
        (OWNED, True),
        (Outcome(status=503, headers={"x-aftershock-error-owned": " True "}), True),
        (FAILED, False),
        (Outcome(status=503, headers={"x-aftershock-error-owned": "false"}), False),
        (Outcome(status=None, error=AttemptError.REFUSED), True),
        (Outcome(status=None, error=AttemptError.TIMEOUT), False),
        (Outcome(status=None, error=AttemptError.RESET), False),
    ],
)
def test_only_a_claimed_error_is_retried(outcome: Outcome, retried: bool) -> None:
    """No claim is no retry; what nobody could be connected to failed by itself."""
    driven = drive(Retry(3, Fixed(0.1), word=OwnedErrors()), [outcome, SERVED])
    assert driven.reason is (StopReason.SUCCEEDED if retried else StopReason.FORBIDDEN)
    assert driven.attempts == (2 if retried else 1)


def test_an_owned_error_that_a_retry_cannot_mend_is_not_retried() -> None:
    """Ownership allows, it does not demand."""
    owned = Outcome(status=400, headers={"x-aftershock-error-owned": "true"})
    assert drive(preset("error-ownership").build(), [owned]).reason is StopReason.NOT_RETRYABLE
