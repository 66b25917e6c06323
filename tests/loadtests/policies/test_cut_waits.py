"""A policy whose waits are cut stays a policy: whatever the clock does, and for the one inside."""

from random import Random
from unittest.mock import Mock

import pytest

from loadtests.policies import Call, Outcome, Request, Stop, StopReason, Wait
from loadtests.policies.backoff import Fixed
from loadtests.policies.budgets import Bucket
from loadtests.policies.retry import Retry
from loadtests.policies.wrappers.cut_waits import Counted, CutWaits
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive


@pytest.mark.parametrize("counted", Counted)
def test_no_clock_makes_a_wait_negative_or_more_than_the_total(counted: Counted) -> None:
    """One that steps back or jumps ahead; waits end, or each is within 0 and the total."""
    rng = Random(1)
    for _ in range(500):
        policy = CutWaits(Retry(20, Fixed(rng.choice([0.0, 1.0, 1e15]))), 5.0, counted)
        request = Request(policy, Call(rng))
        action, waited_s = request.start(rng.uniform(-1e9, 1e9)), 0.0
        while not isinstance(action, Stop):
            if isinstance(action, Wait):
                waited_s += action.seconds
                action = request.resumed(rng.uniform(-1e9, 1e9))
            else:
                request.sent()
                action = request.finished(rng.uniform(-1e9, 1e9), OVERLOADED)
                if isinstance(action, Wait) and counted is Counted.WAITS:
                    assert 0 <= action.seconds <= 5
        assert request.reason in (StopReason.DEADLINE, StopReason.OUT_OF_ATTEMPTS)
        assert waited_s <= 5 + 1e-9 or counted is Counted.UNTIL_SENT


def test_a_success_and_the_inner_policys_own_stop_pass_through() -> None:
    """It only cuts waits."""
    policy = CutWaits(Retry(2, Fixed(1.0)), 60.0, Counted.WAITS)
    assert drive(policy, [OVERLOADED, SERVED]).reason is StopReason.SUCCEEDED
    assert drive(policy, [OVERLOADED] * 2).reason is StopReason.OUT_OF_ATTEMPTS
    assert drive(policy, [Outcome(status=404)]).reason is StopReason.NOT_RETRYABLE


def test_the_limit_stands_in_its_description() -> None:
    """After the words of the policy inside."""
    policy = CutWaits(Retry(2, Fixed(1.0)), 60.0, Counted.WAITS)
    assert policy.describe().endswith("; all waits together: at most 1 min")


def test_a_total_of_nothing_is_refused() -> None:
    """By value."""
    with pytest.raises(ValueError, match="total_s is 0"):
        CutWaits(Retry(2, Fixed(1.0)), 0, Counted.WAITS)


def test_a_budget_inside_is_told_that_the_request_ended() -> None:
    """The retry it paid for is not made."""
    bucket = Mock(wraps=Bucket(cost=1))
    policy = CutWaits(Retry(9, Fixed(4.0), budget=bucket), 6.0, Counted.WAITS)
    driven = drive(policy, [OVERLOADED] * 9)
    assert (driven.waits, driven.reason) == ([4.0, 2.0], StopReason.DEADLINE)
    bucket.closed.assert_called_once_with(6.0, 1.0)
