"""Polly's retries, by `RetryHelper.cs`."""

import math
from random import Random
from statistics import median

import pytest

from loadtests.policies import Outcome, Preset, preset
from loadtests.policies.backoff import BackoffState, SmoothedJitter
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive
from tests.loadtests.policies.uniform import LIMIT, uniform_distance


def waits_of(source: Preset, seed: int = 0) -> list[float]:
    return drive(source.build(), lambda _: OVERLOADED, rng=Random(seed)).waits


# Polly.Core.Tests/Retry/RetryHelperTests.cs: type, base, and the waits by attempt from 0.
WITHOUT_JITTER = [
    ("constant", 1.0, [1.0, 1.0, 1.0, 1.0, 1.0]),
    ("linear", 1.0, [1.0, 2.0, 3.0, 4.0, 5.0]),
    ("exponential", 1.0, [1.0, 2.0, 4.0, 8.0, 16.0]),
    ("constant", 0.0, [0.0] * 5),
    ("linear", 0.0, [0.0] * 5),
    ("exponential", 0.0, [0.0] * 5),
]


@pytest.mark.parametrize(("kind", "base_s", "expected"), WITHOUT_JITTER)
def test_waits_without_jitter(kind: str, base_s: float, expected: list[float]) -> None:
    """``base``, ``(k + 1) · base`` and ``2^k · base`` for retry k from 0."""
    assert (
        waits_of(preset("polly-8", max_retry_attempts=5, backoff_type=kind, delay=base_s))
        == expected
    )


def test_the_default_is_three_retries_after_2_s_each() -> None:
    """RetryStrategyOptions."""
    assert waits_of(preset("polly-8")) == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(("kind", "retry", "nominal_s"), [("constant", 1, 2.0), ("linear", 3, 6.0)])
def test_jitter_is_a_quarter_to_either_side(kind: str, retry: int, nominal_s: float) -> None:
    """``ApplyJitter``: the factor is 0.5 in all."""
    source = preset("polly-8", backoff_type=kind, use_jitter=True)
    rng, policy = Random(1), source.build()
    waits = [drive(policy, [OVERLOADED] * 4, rng=rng).waits[retry - 1] for _ in range(10_000)]
    assert uniform_distance(waits, 0.75 * nominal_s, 1.25 * nominal_s) < LIMIT


def decorrelated_v2(
    attempt: int, base_s: float, before: float, drawn: float
) -> tuple[float, float]:
    """`DecorrelatedJitterBackoffV2`, and the state that it leaves."""
    t = attempt + drawn
    x = 2**t * math.tanh(math.sqrt(4 * t))
    return (x - before) * (1 / 1.4) * base_s, x


def test_exponential_jitter_is_the_original_with_the_same_draws() -> None:
    """The same random numbers in, the same waits out."""
    for seed in range(200):
        rng = Random(seed)
        source = preset(
            "polly-8", max_retry_attempts=8, backoff_type="exponential", use_jitter=True, delay="3s"
        )
        expected, before = [], 0.0
        for attempt in range(8):
            wait_s, before = decorrelated_v2(attempt, 3.0, before, rng.random())
            expected.append(wait_s)
        assert waits_of(source, seed) == pytest.approx(expected)


def test_the_medians_of_exponential_jitter() -> None:
    """At base 1 s they are near 1, 1, 2 and 4 s."""
    source = preset(
        "polly-8", max_retry_attempts=4, backoff_type="exponential", use_jitter=True, delay="1s"
    )
    rng, policy = Random(2), source.build()
    waits = [drive(policy, [OVERLOADED] * 5, rng=rng).waits for _ in range(10_000)]
    medians = [median(one[retry] for one in waits) for retry in range(4)]
    assert medians == pytest.approx([0.90, 1.13, 2.03, 4.03], rel=0.03)


def test_no_number_of_retries_makes_a_negative_or_endless_wait() -> None:
    """Their Backoff_should_not_overflow_to_give_negative_timespan."""
    backoff, rng = SmoothedJitter(2.0), Random(3)
    for retry in (1, 2, 50, 1000, 1001, 1024, 10_000):
        assert 0 <= backoff.wait_s(BackoffState(retry), rng) <= 922_337_203_685


def test_the_longest_wait_clamps_after_the_jitter() -> None:
    """The fault: at the cap all wait the same."""
    source = preset("polly-8", use_jitter=True, backoff_type="linear", delay="4s", max_delay="5s")
    seconds = [waits_of(source, seed) for seed in range(50)]
    assert {third for _, _, third in seconds} == {5.0}
    assert len({first for first, _, _ in seconds}) > 25


@pytest.mark.parametrize(
    ("status", "retried"), [(408, True), (429, True), (500, True), (599, True), (404, False)]
)
def test_transient_statuses_are_retried(status: int, retried: bool) -> None:
    """Those of Microsoft.Extensions.Http.Resilience."""
    driven = drive(preset("polly-8").build(), [Outcome(status=status), SERVED])
    assert (driven.attempts == 2) == retried
