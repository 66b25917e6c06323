"""Envoy's retries, by its source: back-off, words, limits. `test_envoy_live` runs Envoy itself."""

import re
from collections.abc import Collection
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
from loadtests.policies.backoff import BackoffState, Doubling, WholeFullJitter, next_wait_s
from loadtests.policies.conditions.envoy import WORDS
from loadtests.policies.retry import Retry
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

REFUSED = Outcome(status=None, error=AttemptError.REFUSED)
RESET = Outcome(status=None, error=AttemptError.RESET)
TIMED_OUT = Outcome(status=None, error=AttemptError.TIMEOUT)
LIMITED = Outcome(status=503, headers={"x-envoy-ratelimited": "true"})


def grpc(number: int) -> Outcome:
    return Outcome(status=200, headers={"grpc-status": str(number)})


# backoff_strategy.cc: next_interval_ < max/2 ? 2·next : max. Base, max, the first six, in ms.
INTERVALS = [
    (25, 250, [25, 50, 100, 200, 250, 250]),
    (25, 25, [25, 25, 25, 25, 25, 25]),
    (100, 150, [100, 150, 150, 150, 150, 150]),
    (1, 10, [1, 2, 4, 8, 10, 10]),
    (10, 80, [10, 20, 40, 80, 80, 80]),
    (300, 3000, [300, 600, 1200, 2400, 3000, 3000]),
    # Half of 101 is 50 in whole numbers, and 50 is not below it; of 103 it is 51.
    (50, 101, [50, 101, 101, 101, 101, 101]),
    (50, 103, [50, 100, 103, 103, 103, 103]),
    (25, 101, [25, 50, 101, 101, 101, 101]),
    (25.5, 101.9, [25, 50, 101, 101, 101, 101]),
    (1.2, 3.9, [1, 3, 3, 3, 3, 3]),
]


@pytest.mark.parametrize(("base_ms", "max_ms", "expected_ms"), INTERVALS)
def test_the_interval_doubles_up_to_its_maximum(
    base_ms: float, max_ms: float, expected_ms: list[int]
) -> None:
    """`JitteredExponentialBackOffStrategy::nextBackOffMs`, of unsigned integers of milliseconds."""
    backoff, state, rng = Doubling(base_ms / 1000, max_ms / 1000), BackoffState(), Random(0)
    assert [next_wait_s(backoff, state, rng) * 1000 for _ in expected_ms] == expected_ms


def test_no_number_of_retries_overflows() -> None:
    """envoyproxy/envoy#10417: ``(1 << current_retry) - 1`` overflowed after enough retries.

    Also aws/aws-sdk-java#874. Ten thousand waits lie in [0, 250 ms).
    """
    policy = preset("envoy-1.40", num_retries=10_000, timeout=0).build()
    waits = drive(policy, [OVERLOADED] * 10_001).waits
    assert len(waits) == 10_000
    assert min(waits) >= 0
    assert 0.2 < max(waits) < 0.25


def test_a_wait_is_any_whole_millisecond_below_the_interval() -> None:
    """``random % 25`` and ``random % 250``: each as likely (chi-square)."""
    backoff, rng = WholeFullJitter(Doubling(0.025, 0.25)), Random(1)
    counts = [[0] * 25, [0] * 250]
    for _ in range(25_000):
        state = BackoffState()
        waits = [round(next_wait_s(backoff, state, rng) * 1000) for _ in range(5)]
        counts[0][waits[0]] += 1
        counts[1][waits[4]] += 1
    for tally, most in zip(counts, (62.0, 342.0), strict=True):  # p < 1e-4 at 24 and 249 degrees
        expected = 25_000 / len(tally)
        assert sum((count - expected) ** 2 / expected for count in tally) < most


def test_the_maximum_is_ten_times_the_base_unless_said() -> None:
    """As the router has it."""
    policy = preset("envoy-1.40", base_interval="10ms").build()
    assert "min(100 ms, 10 ms·2^(n−1))" in policy.describe()
    policy = preset("envoy-1.40", base_interval="10ms", max_interval="30ms").build()
    assert "min(30 ms, 10 ms·2^(n−1))" in policy.describe()
    policy = preset("envoy-1.40", base_interval_s=0.0255).build()  # of what is left of it
    assert "min(250 ms, 25 ms·2^(n−1))" in policy.describe()


# wouldRetryFromHeaders and wouldRetryFromReset: a word, and all that it retries of EVERY.
EVERY = {
    "200": SERVED,
    "400": Outcome(status=400),
    "409": Outcome(status=409),
    "429": Outcome(status=429),
    "500": Outcome(status=500),
    "502": Outcome(status=502),
    "503": OVERLOADED,
    "504": Outcome(status=504),
    "limited": LIMITED,
    "refused": REFUSED,
    "no route": Outcome(status=None, error=AttemptError.UNREACHABLE),
    "connect timeout": Outcome(status=None, error=AttemptError.CONNECT_TIMEOUT),
    "reset": RESET,
    "closed": Outcome(status=None, error=AttemptError.CLOSED),
    "timeout": TIMED_OUT,
    "grpc 1": grpc(1),
    "grpc 4": grpc(4),
    "grpc 8": grpc(8),
    "grpc 13": grpc(13),
    "grpc 14": grpc(14),
    "grpc 2": grpc(2),
}
CONNECTING = {"refused", "no route", "connect timeout"}
RESETS = CONNECTING | {"reset", "closed", "timeout"}
BY_WORD = {
    "5xx": {"500", "502", "503", "504"} | RESETS,
    "gateway-error": {"502", "503", "504"} | RESETS,
    "reset": RESETS,
    "reset-before-request": CONNECTING,
    "connect-failure": CONNECTING,
    "envoy-ratelimited": {"limited"},
    "retriable-4xx": {"409"},
    "refused-stream": set(),
    "retriable-status-codes": {"429", "503"},
    "retriable-headers": set(),
    "http3-post-connect-failure": set(),
    "cancelled": {"grpc 1"},
    "deadline-exceeded": {"grpc 4"},
    "internal": {"grpc 13"},
    "resource-exhausted": {"grpc 8"},
    "unavailable": {"grpc 14"},
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_retries_what_the_source_says(word: str) -> None:
    """And nothing else. 429 and 503 are the status codes of the route."""
    source = preset("envoy-1.40", retry_on={word}, retriable_status_codes={429, 503})
    retried = {
        name
        for name, outcome in EVERY.items()
        if drive(source.build(), [outcome, SERVED]).attempts == 2
    }
    assert retried == BY_WORD[word]


@pytest.mark.parametrize(
    ("words", "codes", "headers", "text"),
    [
        (
            "unavailable retriable-status-codes",
            {503, 429},
            "",
            "retriable-status-codes (429, 503), unavailable",
        ),
        ("unavailable retriable-status-codes", (), "", "unavailable"),
        ("retriable-status-codes", (), "", "nothing"),
        ("5xx retriable-headers", (), "x-b x-a", "5xx, retriable-headers (x-a, x-b)"),
        ("5xx retriable-headers", (), "", "5xx"),
    ],
)
def test_a_words_list_is_told_behind_it(
    words: str, codes: Collection[int], headers: str, text: str
) -> None:
    """And a word that does nothing without its list is not told at all."""
    policy = preset(
        "envoy-1.40",
        retry_on=words,
        retriable_status_codes=frozenset(codes),
        retriable_headers=headers,
    ).build()
    assert isinstance(policy, Retry)
    assert policy.retry_on.describe() == text


def test_without_a_word_nothing_is_retried() -> None:
    """Envoy's own default."""
    policy = preset("envoy-1.40", retry_on=[]).build()
    assert all(drive(policy, [outcome]).attempts == 1 for outcome in EVERY.values())


def test_a_rate_limited_answer_is_retried_only_with_its_word() -> None:
    """Whatever its status."""
    assert drive(preset("envoy-1.40").build(), [LIMITED]).reason is StopReason.NOT_RETRYABLE
    policy = preset("envoy-1.40", retry_on="5xx envoy-ratelimited").build()
    assert drive(policy, [LIMITED, SERVED]).attempts == 2


def test_a_header_can_make_an_answer_retriable() -> None:
    """By its name."""
    policy = preset(
        "envoy-1.40", retry_on="retriable-headers", retriable_headers="x-try-again"
    ).build()
    assert drive(policy, [Outcome(status=404, headers={"x-try-again": ""}), SERVED]).attempts == 2
    assert drive(policy, [Outcome(status=404)]).attempts == 1


def test_a_425_is_retried_at_once() -> None:
    """RetryDecision::RetryImmediately."""
    policy = preset(
        "envoy-1.40", retry_on="retriable-status-codes", retriable_status_codes=[425]
    ).build()
    assert drive(policy, [Outcome(status=425), SERVED]).waits == [0.0]


def limited_for(**headers: str) -> Outcome:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Outcome(status=503, headers=named, received_epoch_s=1_000.7)


# Header, the wait in seconds that it asks for; None: the usual back-off.
RESET_HEADERS = [
    ({"retry_after": "2"}, 2.0),
    ({"retry_after": "1"}, 1.0),
    ({"retry_after": "300"}, 300.0),
    ({"retry_after": "301"}, None),
    ({"retry_after": "0"}, None),
    ({"retry_after": "-5"}, None),
    ({"retry_after": "1.5"}, None),
    ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
    ({"x_reset": "1010"}, 10.0),
    ({"x_reset": "999"}, None),
    ({"x_reset": "1000"}, None),
    ({"retry_after": "999", "x_reset": "1007"}, 7.0),
    ({"retry_after": "4", "x_reset": "1007"}, 4.0),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "asked_s"), RESET_HEADERS)
def test_a_rate_limit_that_resets_is_waited_for(
    headers: dict[str, str], asked_s: float | None
) -> None:
    """``U(v, 1.5·v)`` of the first header in bounds (at most 300 s), seconds or a time of day."""
    policy = preset("envoy-1.40", rate_limited_reset="Retry-After:seconds x-reset:unix", timeout=0)
    rng = Random(0)
    waits = [
        drive(policy.build(), [limited_for(**headers), SERVED], rng=rng).waits[0]
        for _ in range(300)
    ]
    low, high = (0.0, 0.025) if asked_s is None else (asked_s, 1.5 * asked_s)
    assert low <= min(waits)
    assert max(waits) < high
    assert max(waits) - min(waits) > 0.9 * (high - low)


def test_without_its_configuration_retry_after_is_not_heeded() -> None:
    """rate_limited_retry_back_off is optional."""
    policy = preset("envoy-1.40").build()
    assert drive(policy, [limited_for(retry_after="2"), SERVED]).waits[0] < 0.025


def test_a_wait_that_the_server_named_does_not_move_the_back_off_on() -> None:
    """Two strategies: the next wait of the usual one is still its first."""
    policy = preset(
        "envoy-1.40", num_retries=2, rate_limited_reset="retry-after:seconds", timeout=0
    ).build()
    rng = Random(5)
    outcomes = [limited_for(retry_after="1"), OVERLOADED, SERVED]
    seconds = [drive(policy, outcomes, rng=rng).waits[1] for _ in range(500)]
    assert max(seconds) < 0.025


@pytest.mark.parametrize("text", ["retry-after", "retry-after:minutes", ":seconds"])
def test_a_reset_header_needs_a_format(text: str) -> None:
    """It says which there are."""
    with pytest.raises(ValueError, match=re.escape(f"envoy-1.40: rate_limited_reset: '{text}'")):
        preset("envoy-1.40", rate_limited_reset=text)


def test_the_timeout_of_the_route_spans_all_attempts() -> None:
    """It cuts a wait, bounds an attempt, and wins over a longer timeout of one try."""
    policy = preset(
        "envoy-1.40", timeout="1s", per_try_timeout="0.75s", base_interval="30s"
    ).build()
    course = policy.begin(Call(Random(1)))
    assert course.start(0.0) == Send(0.75)
    assert course.finished(0.75, TIMED_OUT) == Wait(0.25)
    assert course.resumed(1.0) == Stop(StopReason.DEADLINE)


def begun(policy: RetryPolicy, now_s: float = 0.0) -> Course:
    course = policy.begin(Call(Random(0)))
    course.start(now_s)
    return course


def failing_at_once(policy: RetryPolicy, requests: int) -> list[bool]:
    """Which of so many requests in flight are retried when all fail, one after another."""
    courses = [begun(policy) for _ in range(requests)]
    return [isinstance(course.finished(0.0, OVERLOADED), Wait) for course in courses]


def test_without_a_budget_three_retries_go_on_at_a_time() -> None:
    """max_retries. The back-off counts: envoyproxy/envoy#30205."""
    assert sum(failing_at_once(preset("envoy-1.40").build(), 1000)) == 3
    assert sum(failing_at_once(preset("envoy-1.40", max_retries=0).build(), 10)) == 0


def test_a_retry_that_ended_makes_room() -> None:
    """Success, failure, or its request given up while backing off: the place is free again."""
    policy = preset("envoy-1.40", max_retries=1).build()
    for end in ("served", "failed", "gone"):
        course, other = begun(policy), begun(policy)
        assert isinstance(course.finished(0.0, OVERLOADED), Wait)
        assert other.finished(0.0, OVERLOADED) == Stop(StopReason.BUDGET)
        if end == "gone":
            course.abandoned(0.0)
            continue
        course.resumed(0.0)
        course.finished(0.0, SERVED if end == "served" else OVERLOADED)


# k retries under way when n attempts fail at once: k < max(⌊share · (n − k)⌋, least), the failed
# one among the active; the real Envoy made 16 and 17 of 100.
AT_ONCE = [(100, 0.2, 16), (1000, 0.2, 166), (10, 0.2, 3), (1, 1.0, 1), (1, 0.99, 1)]


@pytest.mark.parametrize(("requests", "share", "retries"), AT_ONCE)
def test_retries_in_back_off_count_against_the_budget(
    requests: int, share: float, retries: int
) -> None:
    """envoyproxy/envoy#30205: else 1,000 that fail at once are all retried at 20%."""
    policy = preset("envoy-1.40", budget_share=share).build()
    assert sum(failing_at_once(policy, requests)) == retries


@pytest.mark.parametrize(("share", "retried"), [(1.0, True), (0.99, False)])
def test_the_failed_attempt_is_still_active_when_its_retry_is_decided(
    share: float, retried: bool
) -> None:
    """A single request and no least concurrency: ⌊100% of 1⌋ is 1, ⌊99% of 1⌋ is 0."""
    policy = preset("envoy-1.40", budget_share=share, min_retry_concurrency=0).build()
    assert failing_at_once(policy, 1) == [retried]


def test_active_retries_never_exceed_the_budget_in_any_sequence() -> None:
    """Random requests, failures, successes and users who leave; everything is given back."""
    rng = Random(6)
    for _ in range(100):
        share, least = rng.random(), rng.randint(0, 5)
        policy = preset(
            "envoy-1.40", num_retries=3, budget_share=share, min_retry_concurrency=least
        ).build()
        assert isinstance(policy, Retry)
        flying: list[Course] = []
        waiting: list[Course] = []
        for _ in range(400):
            what = rng.random()
            if what < 0.4 or not (flying or waiting):
                flying.append(begun(policy))
            elif what < 0.6 and waiting:
                flying.append(waiting.pop(rng.randrange(len(waiting))))
                flying[-1].resumed(0.0)
            elif flying:
                active = len(flying)
                course = flying.pop(rng.randrange(active))
                if what > 0.95:
                    course.abandoned(0.0)
                elif isinstance(course.finished(0.0, rng.choice([OVERLOADED, SERVED])), Wait):
                    waiting.append(course)
                    assert policy.budget is not None
                    assert len(waiting) <= max(int(share * active), least)
        for course in flying + waiting:
            course.abandoned(0.0)
        assert policy.budget is not None
        assert policy.guard is not None
        assert (policy.budget.retrying, policy.guard.count) == (0, 0)  # type: ignore[attr-defined]


# istio/istio retry.go: 2 retries, these words; Envoy's back-off.
def test_istio_retries_connections_and_grpc_but_no_503() -> None:
    """Since 1.24; `unavailable` is a status of gRPC's, not a 503."""
    source = preset("istio-1.27")
    retried = {
        name
        for name, outcome in EVERY.items()
        if drive(source.build(), [outcome, SERVED]).attempts == 2
    }
    assert retried == CONNECTING | {"grpc 1", "grpc 14"}
    assert drive(source.build(), [REFUSED] * 3).attempts == 3


def test_istio_before_1_24_retried_a_503() -> None:
    """With retriable-status-codes and 503, as it still can."""
    policy = preset("istio-1.27", retriable_status_codes=[503]).build()
    assert drive(policy, [OVERLOADED] * 3).attempts == 3


def test_istio_lifts_the_limit_on_retries_at_a_time() -> None:
    """A thousand at once are all retried."""
    policy = preset("istio-1.27", retriable_status_codes=[503]).build()
    assert sum(failing_at_once(policy, 1000)) == 1000
    policy = preset("istio-1.27", retriable_status_codes=[503], max_retries=5).build()
    assert sum(failing_at_once(policy, 1000)) == 5
