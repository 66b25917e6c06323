"""Users who give up: waits and attempts end with their patience, what was held is given back."""

from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Call,
    Outcome,
    Request,
    RetryPolicy,
    Send,
    State,
    Stop,
    StopReason,
    Wait,
    preset,
)
from loadtests.policies.backoff import Fixed
from loadtests.policies.guards import ConsecutiveBreaker
from loadtests.policies.retry import Retry
from loadtests.policies.wrappers.patience import ExponentialPatience, FixedPatience, GivesUp
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

TIMED_OUT = Outcome(status=None, error=AttemptError.TIMEOUT)


def patient(policy: RetryPolicy, seconds: float) -> GivesUp:
    """A user with exactly so much patience in front of it."""
    return GivesUp(policy, FixedPatience(seconds))


def test_a_wait_that_outlasts_the_patience_ends_with_it() -> None:
    """1 s of the second wait of 2 s."""
    policy = patient(Retry(5, Fixed(2.0)), 3.0)
    driven = drive(policy, [OVERLOADED] * 5)
    assert driven.waits == [2.0, 1.0]
    assert driven.attempts == 2
    assert driven.reason is StopReason.GAVE_UP


def test_a_timer_that_is_a_hair_early_ends_the_patience_all_the_same() -> None:
    """No attempt is made in the microsecond that is left."""
    request = Request(patient(Retry(5, Fixed(9.0)), 3.0), Call(Random(0)))
    request.start(0.0)
    request.sent()
    assert request.finished(0.0, OVERLOADED) == Wait(3.0)
    assert request.resumed(2.9999999) == Stop(StopReason.GAVE_UP)


def test_an_attempt_in_flight_is_ended_when_the_user_leaves() -> None:
    """Its timeout is what is left, and where it ends by that the request is over."""
    request = Request(patient(Retry(5, Fixed(1.0), timeout_s=10.0), 3.0), Call(Random(0)))
    assert request.start(100.0) == Send(3.0)
    request.sent()
    assert request.finished(100.5, OVERLOADED) == Wait(1.0)
    assert request.resumed(101.5) == Send(1.5)
    request.sent()
    assert request.finished(103.0, TIMED_OUT) == Stop(StopReason.GAVE_UP)


def test_a_shorter_timeout_of_the_policy_stays_its_own() -> None:
    """It is retried like any."""
    request = Request(patient(Retry(5, Fixed(1.0), timeout_s=0.5), 3.0), Call(Random(0)))
    assert request.start(0.0) == Send(0.5)
    request.sent()
    assert request.finished(0.5, TIMED_OUT) == Wait(1.0)


def test_what_ends_in_time_ends_as_without_a_user() -> None:
    """Success, out of attempts, not retryable."""
    policy = patient(Retry(2, Fixed(1.0)), 3.0)
    assert drive(policy, [SERVED]).reason is StopReason.SUCCEEDED
    assert drive(policy, [OVERLOADED] * 2).reason is StopReason.OUT_OF_ATTEMPTS
    assert drive(policy, [Outcome(status=404)]).reason is StopReason.NOT_RETRYABLE


def test_an_answer_that_comes_as_the_user_leaves_still_counts() -> None:
    """The driver was late by a hair; a success is one."""
    late = Outcome(status=200, elapsed_s=3.0000001)
    assert drive(patient(Retry(2, Fixed(1.0)), 3.0), [late]).reason is StopReason.SUCCEEDED


def test_a_failure_after_the_patience_is_not_retried() -> None:
    """There is nobody to retry for."""
    late = Outcome(status=503, elapsed_s=3.1)
    driven = drive(patient(Retry(5, Fixed(1.0)), 3.0), [late])
    assert (driven.attempts, driven.reason) == (1, StopReason.GAVE_UP)


def test_the_trial_of_a_breaker_is_given_back() -> None:
    """Its user left: another may try."""
    breaker = ConsecutiveBreaker(threshold=1, cooldown_s=1.0)
    policy = patient(Retry(1, Fixed(0.0), guard=breaker), 3.0)
    drive(policy, [OVERLOADED])
    trial = Request(policy, Call(Random(0)))
    assert trial.start(1.0) == Send(3.0)
    trial.sent()
    assert drive(policy, [], start_s=2.0).reason is StopReason.BREAKER
    trial.finished(4.0, TIMED_OUT)
    assert drive(policy, [SERVED], start_s=4.0).reason is StopReason.SUCCEEDED


def test_a_budget_is_told_that_the_request_is_over() -> None:
    """A retry in flight is given back where the budget counts those: Envoy's `max_retries` of 3."""
    policy = GivesUp(preset("envoy-1.40").build(), FixedPatience(1.0))
    for _ in range(10):
        request = Request(policy, Call(Random(0)))
        request.start(0.0)
        request.sent()
        assert isinstance(request.finished(0.1, OVERLOADED), Wait)
        assert isinstance(request.resumed(0.2), Send)
        request.sent()
        assert request.finished(1.0, TIMED_OUT) == Stop(StopReason.GAVE_UP)


def test_patience_is_drawn_for_each_request() -> None:
    """Exponential with the mean that was asked for: 20,000 draws, within 4 standard errors."""
    patience, rng = ExponentialPatience(2.0), Random(5)
    draws = [patience.draw_s(rng) for _ in range(20_000)]
    assert min(draws) > 0
    assert sum(draws) / len(draws) == pytest.approx(2.0, abs=4 * 2.0 / len(draws) ** 0.5)
    assert sum(draw > 2.0 for draw in draws) / len(draws) == pytest.approx(0.3679, abs=0.014)


def test_hedges_are_cut_too() -> None:
    """A hedge that is due after the patience is not asked for; one before it is."""
    for patience_s, sends_second in [(1.0, False), (5.0, True)]:
        request = Request(patient(preset("polly-8-hedging").build(), patience_s), Call(Random(0)))
        first = request.start(0.0)
        assert isinstance(first, Send)
        assert first.timeout_s == patience_s
        assert (first.hedge_after_s is not None) is sends_second


def test_no_clock_breaks_it() -> None:
    """Whatever it does, what is answered can be done."""
    rng = Random(9)
    for _ in range(300):
        policy = GivesUp(preset("full-jitter").build(), ExponentialPatience(1.0))
        request, now_s = Request(policy, Call(rng)), 0.0
        action = request.start(now_s)
        while request.state is not State.DONE:
            now_s += rng.choice([0.0, 0.1, -0.1, 1e6, -1e6, 0.5])
            if isinstance(action, Send):
                assert action.timeout_s is not None
                assert 0 < action.timeout_s < 60
                request.sent()
                action = request.finished(now_s, rng.choice([OVERLOADED, TIMED_OUT, SERVED]))
            else:
                action = request.resumed(now_s)


@pytest.mark.parametrize("policy", ["stacked-retries", "impatient-users", "nobody-knows-it"])
def test_the_preset_names_a_policy_that_there_is(policy: str) -> None:
    """And that has no other in it."""
    with pytest.raises(ValueError, match="impatient-users: policy"):
        preset("impatient-users", policy=policy)


def test_the_preset_stands_in_front_of_any_other() -> None:
    """Its own patience, that one's waits."""
    policy = preset("impatient-users", policy="exponential", spread="fixed", patience="1s").build()
    driven = drive(policy, [OVERLOADED] * 4)
    assert driven.waits == pytest.approx([0.2, 0.4, 0.4])
    assert driven.reason is StopReason.GAVE_UP
    assert "gives up after 1 s" in policy.describe()
