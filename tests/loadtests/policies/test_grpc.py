"""gRPC's retries, by gRFC A6 and grpc-go: backoff, throttling, pushback, statuses."""

import itertools
from random import Random

import pytest

from loadtests.policies import (
    AttemptError,
    Call,
    Course,
    Outcome,
    RetryPolicy,
    Send,
    Stop,
    StopReason,
    Wait,
    preset,
)
from loadtests.policies.budgets import GrpcThrottle
from loadtests.policies.conditions.grpc import GRPC_CODES, grpc_status
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.uniform import LIMIT, uniform_distance


def pushed_back(value: str, status: int = 503) -> Outcome:
    return Outcome(status=status, headers={"grpc-retry-pushback-ms": value})


def begun(policy: RetryPolicy) -> Course:
    course = policy.begin(Call(Random(0)))
    course.start(0.0)
    return course


# grpc/grpc doc/http-grpc-status-mapping.md: the whole table, and some of "all other codes".
FROM_HTTP = {
    400: "INTERNAL",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "UNIMPLEMENTED",
    429: "UNAVAILABLE",
    431: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
    409: "UNKNOWN",
    418: "UNKNOWN",
    500: "UNKNOWN",
    501: "UNKNOWN",
}


@pytest.mark.parametrize(("status", "code"), FROM_HTTP.items())
def test_an_http_status_is_mapped_as_grpc_documents(status: int, code: str) -> None:
    """Where the answer has no status of gRPC's own."""
    assert grpc_status(Outcome(status=status)) == code


@pytest.mark.parametrize("number", range(17))
@pytest.mark.parametrize("status", [200, 503])
def test_a_grpc_status_wins_over_the_http_status(number: int, status: int) -> None:
    """ "If grpc-status was provided, it must be used"; numbers as in doc/statuscodes.md."""
    outcome = Outcome(status=status, headers={"grpc-status": str(number)})
    assert grpc_status(outcome) == GRPC_CODES[number]


@pytest.mark.parametrize("said", ["17", "-1", "", "UNAVAILABLE", "14.0"])
def test_a_grpc_status_that_there_is_not_is_unknown(said: str) -> None:
    """As any client has it."""
    assert grpc_status(Outcome(status=200, headers={"grpc-status": said})) == "UNKNOWN"


def test_an_answer_of_200_with_an_error_of_grpcs_is_a_failure() -> None:
    """Every answer of gRPC's is a 200; UNAVAILABLE (14) is retried, INVALID_ARGUMENT (3) is not."""
    unavailable = Outcome(status=200, headers={"grpc-status": "14"})
    invalid = Outcome(status=200, headers={"grpc-status": "3"})
    fine = Outcome(status=200, headers={"grpc-status": "0"})
    assert drive(preset("grpc-a6").build(), [unavailable, fine]).attempts == 2
    driven = drive(preset("grpc-a6").build(), [invalid])
    assert (driven.attempts, driven.reason) == (1, StopReason.NOT_RETRYABLE)


@pytest.mark.parametrize("error", list(AttemptError))
def test_a_broken_connection_is_unavailable_and_a_timeout_is_not(error: AttemptError) -> None:
    """A timeout is the call's deadline, which spans everything, so it is never retried."""
    driven = drive(preset("grpc-a6").build(), [Outcome(status=None, error=error), SERVED])
    expected = 1 if error in (AttemptError.TIMEOUT, AttemptError.REJECTED) else 2
    assert driven.attempts == expected


# A6: initial 0.1 s, multiplier 2, max 1 s. The cap comes before the jitter, so the most is 1.2 s.
NOMINAL = [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


@pytest.mark.parametrize(("retry", "nominal_s"), list(enumerate(NOMINAL[:4], start=1)))
def test_a_wait_is_uniform_in_80_to_120_percent_of_the_nominal_one(
    retry: int, nominal_s: float
) -> None:
    """grpc/grpc-java#12639 drew from [0.4, 1.2], grpc/grpc-node#2959 from [0, 1] of it."""
    policy = preset("grpc-a6", max_attempts=5, max_tokens=0).build()
    rng = Random(retry)
    waits = [drive(policy, [OVERLOADED] * 5, rng=rng).waits[retry - 1] for _ in range(10_000)]
    assert uniform_distance(waits, 0.8 * nominal_s, 1.2 * nominal_s) < LIMIT


@pytest.mark.parametrize(("low", "high"), [(0.4, 1.2), (0.0, 1.0)])
def test_the_faulty_jitters_would_have_been_seen(low: float, high: float) -> None:
    """The same test on the draws of the two issues fails."""
    rng = Random(0)
    draws = [0.1 * rng.uniform(low, high) for _ in range(10_000)]
    assert uniform_distance(draws, 0.08, 0.12) > LIMIT


def test_the_jitter_comes_after_the_cap() -> None:
    """At the cap waits still differ, by up to 20% beyond it."""
    policy = preset("grpc-a6", max_backoff="100ms", max_tokens=0).build()
    rng = Random(1)
    waits = [wait for _ in range(3_400) for wait in drive(policy, [OVERLOADED] * 4, rng=rng).waits]
    assert uniform_distance(waits, 0.08, 0.12) < LIMIT


@pytest.mark.parametrize(("asked", "made"), [(2, 2), (3, 3), (4, 4), (5, 5), (6, 5), (1000, 5)])
def test_more_than_five_attempts_mean_five(asked: int, made: int) -> None:
    """A6, Limits on Retries and Hedges; the first is included."""
    policy = preset("grpc-a6", max_attempts=asked, max_tokens=0).build()
    assert drive(policy, [OVERLOADED] * 5).attempts == made


def test_fewer_than_two_attempts_are_refused() -> None:
    """As grpc-go's convertRetryPolicy has it."""
    with pytest.raises(ValueError, match="max_attempts is '1': expected"):
        preset("grpc-a6", max_attempts=1)


def test_a_total_outage_gets_three_retries_ever() -> None:
    """10 tokens, 0.1, 4 attempts: 9, 8, 7 and 6 are above 5, and then 5 is not."""
    policy = preset("grpc-a6").build()
    attempts = [drive(policy, [OVERLOADED] * 4).attempts for _ in range(1000)]
    assert attempts == [4] + [1] * 999


def test_the_failure_is_taken_before_the_tokens_are_compared() -> None:
    """grpc-go: `tokens--; return tokens <= thresh`. 2 tokens: the first failure leaves 1 of 2."""
    policy = preset("grpc-a6", max_tokens=2).build()
    assert drive(policy, [OVERLOADED]).reason is StopReason.BUDGET
    policy = preset("grpc-a6", max_tokens=3).build()
    assert drive(policy, [OVERLOADED] * 2).attempts == 2


def test_successes_fill_the_bucket_by_the_ratio_and_no_further() -> None:
    """From empty, 10 tokens and 0.1: the 51st success lifts it above half, 60 after one failure."""
    throttle = GrpcThrottle(10, 0.1)
    for _ in range(100):
        throttle.observed(0.0, OVERLOADED, True, 0.0)
    assert throttle.thousandths == 0
    allowed = []
    for _ in range(200):
        throttle.observed(0.0, SERVED, False, 0.0)
        allowed.append(throttle.allows)
    assert allowed.index(True) == 50
    assert throttle.thousandths == 10_000


def test_what_cannot_be_retried_takes_no_token_but_a_pushback_for_good_does() -> None:
    """A6: not to conflate an overload with answers to bad requests."""
    throttle = GrpcThrottle(10, 0.1)
    throttle.observed(0.0, Outcome(status=400), False, 0.0)
    assert throttle.thousandths == 10_000
    throttle.observed(0.0, pushed_back("-1", status=400), False, 0.0)
    assert throttle.thousandths == 9_000


class GrpcGo:
    """`retryThrottler` and `shouldRetry` of grpc-go, in a few lines: what ours is held against."""

    def __init__(self, max_tokens: float, ratio: float) -> None:
        self.tokens = self.most = max_tokens
        self.ratio = ratio

    def succeeded(self) -> None:
        self.tokens = min(self.most, self.tokens + self.ratio)

    def throttle(self) -> bool:
        self.tokens = max(0.0, self.tokens - 1)
        return self.tokens <= self.most / 2


def test_the_throttle_decides_as_grpc_go_does_in_any_sequence() -> None:
    """Ratios that a float holds exactly, so that both count the same."""
    rng = Random(2)
    for _ in range(300):
        most, ratio = rng.randint(1, 40), rng.choice([0.125, 0.25, 0.5, 1.0])
        ours, theirs = GrpcThrottle(most, ratio), GrpcGo(most, ratio)
        for _ in range(200):
            if rng.random() < 0.7:
                ours.observed(0.0, SERVED, False, 0.0)
                theirs.succeeded()
                continue
            ours.observed(0.0, OVERLOADED, True, 0.0)
            refused = theirs.throttle()
            assert (ours.withdraw(0.0, OVERLOADED) is None) == refused


@pytest.mark.parametrize(
    ("said", "wait_s"), [("0", 0.0), ("-0", 0.0), ("1", 0.001), ("2500", 2.5), (" 7 ", 0.007)]
)
def test_a_pushback_is_the_exact_wait(said: str, wait_s: float) -> None:
    """Without jitter."""
    driven = drive(preset("grpc-a6").build(), [pushed_back(said), SERVED])
    assert driven.waits == [wait_s]


@pytest.mark.parametrize(
    "said", ["-1", "-2147483648", "a", "", "1.5", "1e3", "2147483648", "9" * 30]
)
def test_a_pushback_below_zero_or_unreadable_forbids_a_retry(said: str) -> None:
    """A signed 32-bit integer is read; all else means no retry."""
    driven = drive(preset("grpc-a6").build(), [pushed_back(said)])
    assert (driven.attempts, driven.reason) == (1, StopReason.FORBIDDEN)


def test_a_pushback_begins_the_backoff_anew() -> None:
    """grpc-go: numRetriesSincePushback = 0."""
    policy = preset("grpc-a6", max_attempts=5, max_tokens=0).build()
    outcomes = [OVERLOADED, OVERLOADED, pushed_back("50"), OVERLOADED, OVERLOADED]
    first, second, third, fourth = drive(policy, outcomes).waits
    assert 0.08 <= first <= 0.12
    assert 0.16 <= second <= 0.24
    assert third == 0.05
    assert 0.08 <= fourth <= 0.12


def test_a_pushback_neither_makes_a_status_retryable_nor_lifts_the_limit() -> None:
    """A6: with the attempts used up the call is not retried, whatever the server says."""
    assert drive(preset("grpc-a6").build(), [pushed_back("5", status=400)]).attempts == 1
    driven = drive(preset("grpc-a6", max_attempts=2).build(), [pushed_back("5")] * 2)
    assert (driven.attempts, driven.reason) == (2, StopReason.OUT_OF_ATTEMPTS)


def test_one_deadline_spans_all_attempts_and_waits() -> None:
    """A wait ends with it, and what is left bounds an attempt."""
    policy = preset("grpc-a6", timeout="1s", initial_backoff="10s", max_backoff="10s").build()
    driven = drive(policy, [Outcome(status=503, elapsed_s=0.4)])
    assert (driven.reason, driven.ended_s) == (StopReason.DEADLINE, 1.0)
    course = policy.begin(Call(Random(0)))
    assert course.start(5.0) == Send(1.0)


def test_no_sequence_of_outcomes_makes_a_wait_out_of_bounds() -> None:
    """Random statuses, pushbacks and successes, 300 requests to a bucket."""
    rng = Random(3)
    kinds = [OVERLOADED, SERVED, Outcome(status=400), pushed_back("20"), pushed_back("-1")]
    for max_tokens, ratio in itertools.product((0, 0.5, 10, 1000), (0.001, 0.1, 1)):
        policy = preset("grpc-a6", max_tokens=max_tokens, token_ratio=ratio).build()
        for _ in range(300):
            course = begun(policy)
            for _ in range(5):
                action = course.finished(0.0, rng.choice(kinds))
                if isinstance(action, Stop):
                    break
                assert isinstance(action, Wait)
                assert action.seconds == 0.02 or 0.08 <= action.seconds <= 1.2
                course.resumed(0.0)
            else:
                pytest.fail("more than four attempts")
