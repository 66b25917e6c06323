"""Hedging, by gRFC A6 and Polly: when attempts are sent, and what ends the request."""

from random import Random

import pytest

from loadtests.policies import Call, Outcome, Request, Send, Stop, StopReason, Wait, preset
from loadtests.policies.budgets import Bucket, MaxRetries
from loadtests.policies.hedging import Hedging
from loadtests.policies.limits import Spans
from loadtests.policies.words.grpc import GrpcPushback
from tests.loadtests.policies.drive import OVERLOADED, SERVED
from tests.loadtests.policies.drive_hedged import Hedged, drive_hedged

SLOW = (10.0, SERVED)
FATAL = Outcome(status=404)


def fails_after(seconds: float, outcome: Outcome = OVERLOADED) -> tuple[float, Outcome]:
    return (seconds, outcome)


def pushed_back(value: str) -> Outcome:
    return Outcome(status=503, headers={"grpc-retry-pushback-ms": value})


# A6's example: maxAttempts 4, hedgingDelay 500 ms. Name of the case, ends, expected.
A6 = {
    "one that answers in time is not hedged": (
        [(0.4, SERVED)],
        Hedged([0.0], 0.4, StopReason.SUCCEEDED),
    ),
    "another every 500 ms": ([SLOW] * 4, Hedged([0.0, 0.5, 1.0, 1.5], 10.0, StopReason.SUCCEEDED)),
    "the first success ends it": (
        [SLOW, SLOW, (0.2, SERVED)],
        Hedged([0.0, 0.5, 1.0], 1.2, StopReason.SUCCEEDED),
    ),
    "a failure that is not fatal sends the next at once": (
        [fails_after(0.1), fails_after(0.1), SLOW, (0.3, SERVED)],
        Hedged([0.0, 0.1, 0.2, 0.7], 1.0, StopReason.SUCCEEDED),
    ),
    "after which the delay counts anew": (
        [SLOW, fails_after(0.1), (0.7, SERVED), SLOW],
        Hedged([0.0, 0.5, 0.6, 1.1], 1.3, StopReason.SUCCEEDED),
    ),
    "a fatal failure ends it while others are in flight": (
        [SLOW, fails_after(0.1, FATAL)],
        Hedged([0.0, 0.5], 0.6, StopReason.NOT_RETRYABLE),
    ),
    "with no attempts left those in flight are awaited": (
        [(3.0, SERVED), fails_after(0.1), fails_after(0.1), fails_after(0.1)],
        Hedged([0.0, 0.5, 0.6, 0.7], 3.0, StopReason.SUCCEEDED),
    ),
    "all have failed": (
        [fails_after(0.1)] * 4,
        Hedged([0.0, 0.1, 0.2, 0.3], 0.4, StopReason.OUT_OF_ATTEMPTS),
    ),
    "a pushback puts the next off, and the delay after it": (
        [fails_after(0.1, pushed_back("1000")), SLOW, (0.1, SERVED)],
        Hedged([0.0, 1.1, 1.6], 1.7, StopReason.SUCCEEDED),
    ),
    "a pushback while another is in flight": (
        [(5.0, SERVED), fails_after(0.1, pushed_back("700")), SLOW, SLOW],
        Hedged([0.0, 0.5, 1.3, 1.8], 5.0, StopReason.SUCCEEDED),
    ),
    "a pushback for good sends no more, and those in flight go on": (
        [(2.0, SERVED), fails_after(0.1, pushed_back("-1"))],
        Hedged([0.0, 0.5], 2.0, StopReason.SUCCEEDED),
    ),
    "a pushback for good with none in flight": (
        [fails_after(0.1, pushed_back("x"))],
        Hedged([0.0], 0.1, StopReason.FORBIDDEN),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", A6)
def test_grpc_hedges_as_a6_says(case: str) -> None:
    """Without throttling; each row of A6's summary."""
    ends, expected = A6[case]
    driven = drive_hedged(preset("grpc-a6-hedging", max_tokens=0).build(), ends)
    assert driven == expected


def test_a_delay_of_zero_sends_all_at_once() -> None:
    """A6: "issues four RPCs simultaneously"."""
    policy = preset("grpc-a6-hedging", hedging_delay=0).build()
    assert drive_hedged(policy, [SLOW] * 4).sent_s == [0.0] * 4


def test_more_than_five_hedged_attempts_mean_five() -> None:
    """As for retries."""
    policy = preset("grpc-a6-hedging", hedging_delay=0, max_attempts=9).build()
    assert drive_hedged(policy, [SLOW] * 9).sent_s == [0.0] * 5


def test_hedges_are_throttled_like_retries() -> None:
    """2 tokens: a failure leaves 1, no more than half. The failure itself goes to the caller."""
    policy = preset("grpc-a6-hedging", max_tokens=2).build()
    driven = drive_hedged(policy, [fails_after(0.1)])
    assert driven == Hedged([0.0], 0.1, StopReason.BUDGET)
    driven = drive_hedged(policy, [SLOW])
    assert driven == Hedged([0.0], 10.0, StopReason.SUCCEEDED), "a due hedge is not sent either"


def test_while_throttled_an_attempt_in_flight_is_awaited() -> None:
    """The failure of one hedge leaves 1 of 2 tokens: no third attempt, but the first succeeds."""
    policy = preset("grpc-a6-hedging", max_tokens=2).build()
    driven = drive_hedged(policy, [SLOW, fails_after(0.1)])
    assert driven == Hedged([0.0, 0.5], 10.0, StopReason.SUCCEEDED)


def test_the_deadline_bounds_every_attempt() -> None:
    """What is left of it; a hedge that is due at its end is not sent."""
    policy = preset("grpc-a6-hedging", timeout="0.8s").build()
    request = Request(policy, Call(Random(0)))
    assert request.start(3.0) == Send(0.8, 0.5)
    request.sent()
    second = request.resumed(3.5)
    assert isinstance(second, Send)
    assert second.timeout_s == pytest.approx(0.3)


# Polly: one more after 2 s.
POLLY = {
    "one that answers in time": ([(1.9, SERVED)], Hedged([0.0], 1.9, StopReason.SUCCEEDED)),
    "one more after 2 s": ([SLOW, (1.0, SERVED)], Hedged([0.0, 2.0], 3.0, StopReason.SUCCEEDED)),
    "at once after a failure": (
        [fails_after(0.5), (1.0, SERVED)],
        Hedged([0.0, 0.5], 1.5, StopReason.SUCCEEDED),
    ),
    "both fail": (
        [fails_after(0.5), fails_after(0.5)],
        Hedged([0.0, 0.5], 1.0, StopReason.OUT_OF_ATTEMPTS),
    ),
    "the hedge fails, the first is awaited": (
        [(4.0, SERVED), fails_after(1.0)],
        Hedged([0.0, 2.0], 4.0, StopReason.SUCCEEDED),
    ),
    "what is not handled ends it": (
        [SLOW, fails_after(1.0, FATAL)],
        Hedged([0.0, 2.0], 3.0, StopReason.NOT_RETRYABLE),
    ),
}


@pytest.mark.parametrize("case", POLLY)
def test_polly_hedges_as_its_strategy_does(case: str) -> None:
    """HedgingResilienceStrategy.ExecuteCoreAsync."""
    ends, expected = POLLY[case]
    assert drive_hedged(preset("polly-8-hedging").build(), ends) == expected


def test_polly_without_a_delay_hedges_only_after_a_failure() -> None:
    """A negative delay in Polly."""
    policy = preset("polly-8-hedging", delay="none", max_hedged_attempts=2).build()
    assert drive_hedged(policy, [SLOW]).sent_s == [0.0]
    failing = [fails_after(1.0), fails_after(1.0), SLOW]
    assert drive_hedged(policy, failing).sent_s == [0.0, 1.0, 2.0]


class Recorded(Bucket):
    """A full bucket that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(cost=1, most=100)
        self.settled: list[float] = []
        self.given_back: list[float] = []

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        self.settled.append(held)

    def closed(self, now_s: float, held: float) -> None:
        self.given_back.append(held)


def test_what_a_budget_gave_for_a_hedge_is_settled_or_given_back_once() -> None:
    """Of four attempts two end: the price of two hedges comes back at the end."""
    budget = Recorded()
    ends = [SLOW, SLOW, fails_after(0.1), (0.1, SERVED)]
    driven = drive_hedged(Hedging(4, 0.5, budget=budget), ends)
    assert driven.reason is StopReason.SUCCEEDED
    assert sum(budget.settled) + sum(budget.given_back) == 3
    assert len(budget.given_back) == 1
    assert budget.credits == 97


def test_an_abandoned_request_gives_back_what_it_held() -> None:
    """Its user left with two attempts in flight."""
    budget = Recorded()
    request = Request(Hedging(4, 0.5, budget=budget), Call(Random(0)))
    request.start(0.0)
    request.sent()
    request.resumed(0.5)
    request.sent()
    request.abandoned(0.6)
    assert budget.given_back == [1.0]


def test_a_hedge_that_was_paid_for_and_never_sent_gives_its_place_back() -> None:
    """Its user left, or time was up, while the server's pushback was waited for."""
    for deadline in (None, Spans(0.5)):
        budget = MaxRetries(1)
        policy = Hedging(3, None, word=GrpcPushback(), budget=budget, deadline=deadline)
        request = Request(policy, Call(Random(0)))
        request.start(0.0)
        request.sent()
        assert isinstance(request.finished(0.1, pushed_back("1000")), Wait)
        assert budget.retrying == 1
        if deadline is None:
            request.abandoned(0.2)
        else:
            assert request.resumed(0.5) == Stop(StopReason.DEADLINE)
        assert budget.retrying == 0


def test_in_any_sequence_attempts_are_bounded_and_the_request_ends() -> None:
    """Random ends, delays and numbers; never two answers that the machine of a request refuses."""
    rng = Random(4)
    kinds = [OVERLOADED, OVERLOADED, SERVED, FATAL, pushed_back("30"), pushed_back("-1")]
    for seed in range(2000):
        attempts, delay_s = rng.randint(1, 6), rng.choice([None, 0.0, 0.1, 1.0])
        budget = Bucket.of_ratio(0.5, 3) if rng.random() < 0.5 else None
        ends = [(rng.choice([0.0, 0.05, 0.1, 2.0]), rng.choice(kinds)) for _ in range(attempts)]
        driven = drive_hedged(Hedging(attempts, delay_s, budget=budget), ends, seed=seed)
        assert 1 <= len(driven.sent_s) <= attempts


@pytest.mark.parametrize(("attempts", "delay_s"), [(0, 1.0), (2, -1.0), (2, float("nan"))])
def test_hedging_that_makes_no_sense_cannot_be_built(attempts: int, delay_s: float) -> None:
    """It says what is allowed."""
    with pytest.raises(ValueError, match="expected"):
        Hedging(attempts, delay_s)
