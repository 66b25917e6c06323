"""Faults that real libraries had, each in the tracker of its project: ours have them not.

A test shows that what it looks at is seen: where it can, it also looks at a part with the fault.
"""

import math
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import repeat
from random import Random

import pytest

from loadtests.policies import (
    PRESETS,
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
from loadtests.policies.backoff import (
    Backoff,
    BackoffState,
    Capped,
    Exponential,
    FullJitter,
    next_wait_s,
)
from loadtests.policies.retry import Retry
from loadtests.policies.words import AddedRetryAfter, Unheeded, retry_after_s
from tests.loadtests.policies.breaker_play import FAILED, GOOD, Play
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive

TIMED_OUT = Outcome(status=None, error=AttemptError.TIMEOUT)
BREAKERS = [
    "seed-002-breaker",
    "hystrix-1.5",
    "resilience4j-2-breaker",
    "polly-8-breaker",
    "pybreaker-1.4",
    "aiobreaker-1.2",
]


def backoff_of(name: str, **parameters: object) -> Backoff:
    """That of a preset."""
    policy = preset(name, **parameters).build()
    assert isinstance(policy, Retry)
    return policy.backoff


def waits_of(backoff: Backoff, retry: int, draws: int = 500) -> list[float]:
    """Of as many requests, before that retry, each after the waits before."""
    waits = []
    for seed in range(draws):
        state, rng = BackoffState(), Random(seed)
        for _ in range(retry - 1):
            next_wait_s(backoff, state, rng)
        waits.append(next_wait_s(backoff, state, rng))
    return waits


# envoyproxy/envoy#10417, aws/aws-sdk-java#874


class _Shifted:
    """``base << n`` in 32 bits, as it was."""

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        shifted = 25 << (state.retry % 64)
        return ((shifted + 2**31) % 2**32 - 2**31) / 1000

    def describe(self) -> str:
        return "25 ms << n"


def _never_overflows(backoff: Backoff) -> bool:
    state, rng = BackoffState(), Random(0)
    return all(0 <= next_wait_s(backoff, state, rng) < math.inf for _ in range(10_000))


@pytest.mark.parametrize(
    "name", [name for name in PRESETS if isinstance(preset(name).build(), Retry)]
)
def test_no_number_of_a_retry_overflows_into_a_negative_delay(name: str) -> None:
    """Up to the ten thousandth of a request."""
    assert _never_overflows(backoff_of(name))


def test_a_shift_that_overflows_would_be_seen() -> None:
    """The test above can fail."""
    assert not _never_overflows(_Shifted())


# envoyproxy/envoy#30205


def _retries_of_a_thousand_that_fail_at_once(policy: RetryPolicy) -> int:
    requests = [Request(policy, Call(Random(n))) for n in range(1000)]
    for request in requests:
        assert isinstance(request.start(0.0), Send)
        request.sent()
    return sum(isinstance(request.finished(1.0, OVERLOADED), Wait) for request in requests)


@pytest.mark.parametrize(
    ("name", "parameters", "least", "most"),
    [
        ("envoy-1.40", {"budget_share": 0.2}, 160, 200),
        ("envoy-1.40", {}, 3, 3),
        ("finagle-24", {}, 290, 300),
        ("full-jitter-budget", {}, 10, 100),
        ("seed-001-grpc-budget", {}, 4, 10),
        ("seed-003-credits", {}, 10, 110),
        ("sre-client-budget", {}, 100, 100),
    ],
)
def test_retries_that_wait_in_backoff_count_against_the_budget(
    name: str, parameters: dict[str, object], least: int, most: int
) -> None:
    """A thousand that fail at once, none of them resumed yet, do not slip through 20%.

    Nor are there fewer than the budget allows: k < 0.2·(1000 − k) is 166 of Envoy's.
    """
    retries = _retries_of_a_thousand_that_fail_at_once(preset(name, **parameters).build())
    assert least <= retries <= most


def test_a_budget_that_counts_too_late_would_be_seen() -> None:
    """Without one, all thousand are retried."""
    assert _retries_of_a_thousand_that_fail_at_once(preset("full-jitter").build()) == 1000


# urllib3#1896


@pytest.fixture(params=["America/Los_Angeles", "Asia/Kolkata", "UTC"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in that time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_an_http_date_is_gmt_wherever_the_client_is() -> None:
    """Read as local time it is a wait of hours."""
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    date = format_datetime(now + timedelta(seconds=5), usegmt=True)
    for header in (date, date.replace(" GMT", ""), date.replace(" GMT", " -0000")):
        outcome = Outcome(
            status=503, headers={"retry-after": header}, received_epoch_s=now.timestamp()
        )
        assert retry_after_s(outcome) == 5.0
    outcome = Outcome(status=503, headers={"retry-after": date}, received_epoch_s=now.timestamp())
    for name in ("seed-003-credits", "urllib3-2", "httpx-retries-0.6", "azure-core-1.41"):
        deadline = {"deadline": "1h"} if name == "seed-003-credits" else {}
        policy = preset(name, **deadline).build()
        request = Request(policy, Call(Random(0)))
        request.start(0.0)
        request.sent()
        wait = request.finished(0.0, outcome)
        assert isinstance(wait, Wait)
        assert 5.0 <= wait.seconds <= 5.3


# electric-sql/electric#4322, kubernetes#79805


class _TheLonger(Unheeded):
    """``max(Retry-After, jitter)``, as it was."""

    def wait_s(self, outcome: Outcome, backoff_s: Callable[[], float], rng: Random) -> float:
        return max(backoff_s(), retry_after_s(outcome) or 0.0)


def _busiest_10_ms(policy: RetryPolicy) -> int:
    """Of 2,000 clients that were all told to come back in a second."""
    told = Outcome(status=503, headers={"retry-after": "1"})
    slots: dict[int, int] = {}
    for seed in range(2000):
        (wait_s,) = drive(policy, [told, SERVED], rng=Random(seed)).waits
        slots[int(wait_s * 100)] = slots.get(int(wait_s * 100), 0) + 1
    return max(slots.values())


def test_a_crowd_that_was_told_the_same_time_does_not_come_back_at_once() -> None:
    """Retry-After plus jitter, and Envoy's U(v, 1.5v), spread it; `max()` of the two is a herd."""
    backoff = FullJitter(Capped(Exponential(0.2), 5.0))
    assert _busiest_10_ms(Retry(2, backoff, word=AddedRetryAfter())) < 150
    assert _busiest_10_ms(preset("seed-003-credits", max_credits=1_000_000).build()) < 150
    envoy = preset("envoy-1.40", rate_limited_reset="retry-after:seconds", max_retries=2000).build()
    assert _busiest_10_ms(envoy) < 150
    assert _busiest_10_ms(Retry(2, backoff, word=_TheLonger())) == 2000


# jd/tenacity#703

SOUND_AT_THE_CAP: dict[str, dict[str, object]] = {
    "aws-blog-full": {"attempts": 100},
    "full-jitter": {"attempts": 100},
    "seed-001-grpc-budget": {},
    "seed-003-credits": {},
    "grpc-a6": {},
    "botocore-1.44-standard": {},
    "tenacity-9-random-exponential": {"max": "60s"},
    "google-api-core-2": {},
    "envoy-1.40": {},
}


@pytest.mark.parametrize("name", SOUND_AT_THE_CAP)
def test_jitter_is_still_there_at_the_cap(name: str) -> None:
    """Before the fortieth retry no two of 500 clients wait for the same time.

    But for Envoy's, of whole milliseconds up to 249: there no 15 do.
    """
    waits = waits_of(backoff_of(name, **SOUND_AT_THE_CAP[name]), 40)
    commonest = max(waits.count(wait_s) for wait_s in set(waits))
    assert commonest <= (14 if name == "envoy-1.40" else 1)


def test_jitter_that_is_clamped_away_would_be_seen() -> None:
    """The presets of those that do it, and say so."""
    for name in ("tenacity-9-exponential-jitter", "stamina-26"):
        parameters = {"max": "60s"} if name.startswith("tenacity") else {}
        waits = waits_of(backoff_of(name, **parameters), 40)
        assert len(set(waits)) == 1
        assert any("clamp" in fault.text for fault in PRESETS[name].faults)


# Netflix/Hystrix#1647


def _let_out_after_a_success(name: str) -> int:
    """Of a thousand that come when one trial has succeeded after an outage."""
    play = Play(preset(name).build())
    for number in range(200):
        play.call(number / 100, FAILED)
    assert not play.begin(2.6)
    assert play.call(70.0, GOOD)
    return sum(play.begin(70.0) for _ in range(1000))


def test_one_success_does_not_let_everyone_back() -> None:
    """Ten in all, until they have all reported; Hystrix lets out all thousand."""
    assert _let_out_after_a_success("resilience4j-2-breaker") == 9
    assert _let_out_after_a_success("hystrix-1.5") == 1000
    fault = PRESETS["hystrix-1.5"].faults[0]
    assert "1647" in fault.text
    assert fault.sound == "resilience4j-2-breaker"


def test_the_stampede_of_hystrix_is_a_loop() -> None:
    """A service that 200 at once bring down: it opens again and again, long after."""
    openings = {}
    for name in ("hystrix-1.5", "resilience4j-2-breaker"):
        play, opened, was_open = Play(preset(name).build()), 0, False
        for second in range(300):
            out = sum(play.begin(float(second)) for _ in range(200))
            good = out <= 50 and second > 10  # an outage of 10 s, and then room for 50
            for _ in range(out):
                play.end(second + 0.4, GOOD if good else FAILED)
            opened += out == 0 and not was_open
            was_open = out == 0
        openings[name] = opened
    assert openings["hystrix-1.5"] > 30
    # It stampedes as well once it is closed, but only once a minute: a breaker bounds no load.
    assert openings["resilience4j-2-breaker"] <= 5


# resilience4j#544, App-vNext/Polly#1979


@pytest.mark.parametrize("name", BREAKERS)
@pytest.mark.parametrize(
    "ends", ["given up, as what is ignored is", "as a success of another kind"]
)
def test_a_breaker_is_not_half_open_for_ever(name: str, ends: str) -> None:
    """Whatever becomes of its trials, it tries again. Neither success nor failure: see its page."""
    play = Play(preset(name).build())
    for number in range(200):
        play.call(number / 100, FAILED)
    now_s = 70.0
    for _ in range(30):
        if play.begin(now_s):
            if ends.startswith("given up"):
                play.abandon(now_s)
            else:
                play.end(now_s, Outcome(status=302))
        now_s += 70.0
    assert play.begin(now_s)


def test_the_page_says_what_an_ignored_outcome_is() -> None:
    """Ours have no third kind of outcome: only an attempt that is abandoned is neither."""
    for name in ("resilience4j-2-breaker", "resilience4j-2-retry-breaker"):
        assert any("ignored" in note and "#544" in note for note in PRESETS[name].notes)


# aws/aws-sdk-js-v3#4754


def _stops_the_retries_of_others(name: str) -> bool:
    """Whether ten thousand requests that no retry can mend stop those of one that it can."""
    policy = preset(name).build()
    for number in range(10_000):
        drive(policy, [Outcome(status=400)], start_s=number / 1000)
    return drive(policy, lambda number: OVERLOADED, start_s=10.0).attempts == 1


@pytest.mark.parametrize(
    "name",
    [
        "full-jitter-budget",
        "seed-003-credits",
        "sre-client-budget",
        "grpc-a6",
        "finagle-24",
        "envoy-1.40",
        "linkerd-2",
        "botocore-standard",
        "botocore-1.44-standard",
    ],
)
def test_a_bad_operation_does_not_drain_the_bucket_of_all_others(name: str) -> None:
    """A 400 takes nothing from what is there for overload."""
    assert not _stops_the_retries_of_others(name)


def test_a_bucket_that_is_drained_by_400s_would_be_seen() -> None:
    """Article 001's helper does it, and its preset says so."""
    assert _stops_the_retries_of_others("seed-001-grpc-budget")
    assert any("4754" in fault.text for fault in PRESETS["seed-001-grpc-budget"].faults)


# awslabs/aws-sdk-rust#1234

BUDGETED: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("full-jitter-budget", {"budget_ratio": 0}, {"budget_ratio": 1}),
    ("seed-001-grpc-budget", {"max_tokens": 1}, {"max_tokens": 1000}),
    ("seed-002-success-budget", {"budget_share": 0}, {"budget_share": 1}),
    ("seed-003-credits", {"retry_cost": 100}, {"retry_cost": 1}),
    ("sre-client-budget", {"budget_share": 0}, {"budget_share": 1}),
    ("grpc-a6", {"max_tokens": 1}, {"max_tokens": 1000}),
    ("grpc-a6-hedging", {"max_tokens": 1}, {"max_tokens": 1000}),
    ("finagle-24", {"min_retries_per_second": 0}, {"min_retries_per_second": 100}),
    ("linkerd-2", {"min_retries_per_second": 0}, {"min_retries_per_second": 100}),
    ("envoy-1.40", {"max_retries": 0}, {"max_retries": 100}),
    (
        "envoy-1.40",
        {"budget_share": 0, "min_retry_concurrency": 0},
        {"budget_share": 1, "min_retry_concurrency": 0},
    ),
    ("istio-1.27", {"retry_on": "5xx", "max_retries": 0}, {"retry_on": "5xx", "max_retries": 100}),
    ("botocore-standard", {"quota": 0}, {"quota": 5000}),
    ("botocore-adaptive", {"quota": 0}, {"quota": 5000}),
    ("botocore-1.44-standard", {"quota": 0}, {"quota": 5000}),
    ("botocore-1.44-adaptive", {"quota": 0}, {"quota": 5000}),
]


def _retries(policy: RetryPolicy) -> int:
    """Of 300 requests, every other of which finds the service overloaded."""
    made = 0
    for number in range(300):
        outcome = SERVED if number % 2 else OVERLOADED
        made += drive(policy, repeat(outcome), start_s=number / 100).attempts - 1
    return made


@pytest.mark.parametrize(("name", "small", "large"), BUDGETED)
def test_a_budget_that_is_configured_is_there(
    name: str, small: dict[str, object], large: dict[str, object]
) -> None:
    """A small one makes fewer retries than a large one."""
    assert _retries(preset(name, **small).build()) < _retries(preset(name, **large).build())


# palantir/conjure-java-runtime#1084


def test_a_timeout_is_not_retried_at_every_layer() -> None:
    """With error ownership it belongs to nobody: one call a layer. Stacked, they multiply."""

    def calls(policies: list[RetryPolicy]) -> list[int]:
        made = [0] * len(policies)

        def request(layer: int) -> Outcome:
            def attempt(number: int) -> Outcome:
                made[layer] += 1
                return TIMED_OUT if layer == len(policies) - 1 else request(layer + 1)

            drive(policies[layer], attempt)
            return TIMED_OUT

        request(0)
        return made

    assert calls([preset("error-ownership").build() for _ in range(4)]) == [1, 1, 1, 1]
    assert calls([preset("immediate", attempts=3).build() for _ in range(4)]) == [3, 9, 27, 81]


# grpc/grpc-java#12639, grpc/grpc-node#2959


def _is_08_to_12(waits: list[float], base_s: float) -> bool:
    """Within 20% of the base on both sides, and all of it used (5,000 draws)."""
    factors = [wait_s / base_s for wait_s in waits]
    return 0.8 <= min(factors) < 0.81 and 1.19 < max(factors) <= 1.2


def test_grpcs_jitter_is_from_08_to_12() -> None:
    """Not from 0.4 to 1.2, nor from 0 to 1; at the cap as well."""
    backoff = backoff_of("grpc-a6", initial_backoff="1s", max_backoff="4s", multiplier=2)
    for retry, base_s in [(1, 1.0), (2, 2.0), (3, 4.0), (9, 4.0)]:
        assert _is_08_to_12(waits_of(backoff, retry, 5000), base_s)
    rng = Random(0)
    assert not _is_08_to_12([rng.uniform(0.4, 1.2) for _ in range(5000)], 1.0)
    assert not _is_08_to_12([rng.uniform(0.0, 1.0) for _ in range(5000)], 1.0)


# litl/backoff#149


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("seed-003-credits", {}),
        ("seed-002-success-budget", {"deadline": "2s"}),
        ("stamina-26", {}),
        ("backoff-2.2", {"max_time": "5s"}),
        ("tenacity-9-exponential", {"stop_after_delay": "5s"}),
        ("tenacity-9-exponential", {"stop_before_delay": "5s"}),
        ("google-api-core-2", {}),
        ("envoy-1.40", {}),
    ],
)
def test_elapsed_time_is_not_of_the_wall_clock(name: str, parameters: dict[str, object]) -> None:
    """A wall clock that steps by years, either way, changes nothing that is decided."""

    def driven(steps_s: list[float]) -> object:
        policy = preset(name, **parameters).build()
        drive(policy, [SERVED])
        outcomes = [
            Outcome(status=503, elapsed_s=0.3, received_epoch_s=1.8e9 + step_s)
            for step_s in steps_s
        ]
        return drive(policy, lambda number: outcomes[number % 4], rng=Random(1))

    assert driven([0, 0, 0, 0]) == driven([1e8, -1e8, 0, 1e8])


# linkerd/linkerd#2369


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("linkerd-2", {"timeout": "2s"}),
        ("envoy-1.40", {"timeout": "2s", "num_retries": 1000}),
        ("istio-1.27", {"timeout": "2s", "attempts": 1000, "retry_on": "5xx"}),
        ("grpc-a6", {"timeout": "2s", "max_attempts": 5, "max_tokens": 0}),
        ("seed-002-success-budget", {"deadline": "2s"}),
        ("impatient-users", {"patience": "2s", "spread": "fixed"}),
    ],
)
def test_no_attempt_runs_past_the_total_timeout(name: str, parameters: dict[str, object]) -> None:
    """None begins after it, and each is told to end by it."""
    policy = preset(name, **parameters).build()
    for seed in range(50):
        for _ in range(20):
            drive(policy, [SERVED], start_s=10.0)
        request, rng, now_s = Request(policy, Call(Random(seed))), Random(seed), 10.0
        action = request.start(now_s)
        while request.state is not State.DONE:
            if isinstance(action, Wait):
                now_s += action.seconds
                action = request.resumed(now_s)
            elif isinstance(action, Send):
                assert action.timeout_s is not None
                assert now_s + action.timeout_s <= 12.0 + 1e-9
                request.sent()
                takes_s = min(rng.uniform(0.0, 0.9), action.timeout_s)
                timed_out = takes_s == action.timeout_s
                now_s += takes_s
                action = request.finished(now_s, TIMED_OUT if timed_out else OVERLOADED)
        assert now_s <= 12.0 + 1e-9
        assert isinstance(action, Stop)
        assert action.reason is not StopReason.SUCCEEDED
