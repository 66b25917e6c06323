"""resilience4j's retries, by `IntervalFunction.java` and `RetryConfig.java`."""

from random import Random

import pytest

from loadtests.policies import Outcome, Preset, preset
from loadtests.policies.backoff import BackoffState, WholeGrowth, next_wait_s
from tests.loadtests.policies.drive import OVERLOADED, SERVED, drive


def waits_of(source: Preset, seed: int = 0) -> list[float]:
    return drive(source.build(), lambda _: OVERLOADED, rng=Random(seed)).waits


def test_the_default_is_three_attempts_500_ms_apart() -> None:
    """DEFAULT_MAX_ATTEMPTS and DEFAULT_WAIT_DURATION."""
    assert waits_of(preset("resilience4j-2")) == [0.5, 0.5]


# Milliseconds: initial, multiplier, max, the first waits. Each step is cut to a long.
GROWING = [
    (500, 1.5, None, [500, 750, 1125, 1687, 2530, 3795]),
    (100, 2.0, None, [100, 200, 400, 800, 1600, 3200]),
    (100, 2.0, 500, [100, 200, 400, 500, 500, 500]),
    (7, 1.1, None, [7, 7, 7, 7, 7, 7]),
    (10, 1.1, None, [10, 11, 12, 13, 14, 15]),
]


@pytest.mark.parametrize(("wait_ms", "multiplier", "max_ms", "expected_ms"), GROWING)
def test_growing_waits_are_cut_to_whole_milliseconds_at_every_step(
    wait_ms: int, multiplier: float, max_ms: int | None, expected_ms: list[int]
) -> None:
    """``iterate(interval, x -> (long) (x * multiplier))``: 1125 · 1.5 is 1687, and 7 stays 7."""
    source = preset(
        "resilience4j-2",
        max_attempts=len(expected_ms) + 1,
        wait=wait_ms / 1000,
        multiplier=multiplier,
        max_wait=None if max_ms is None else max_ms / 1000,
    )
    assert waits_of(source) == [wait / 1000 for wait in expected_ms]


def randomized(interval_ms: int, factor: float, drawn: float) -> int:
    """`IntervalFunctionCompanion.randomize`, cut to a long."""
    delta = factor * interval_ms
    low, high = interval_ms - delta, interval_ms + delta
    return int(low + drawn * (high - low))


def test_randomised_waits_are_the_original_with_the_same_draws() -> None:
    """The jitter is around the interval, and not carried into the next."""
    rng = Random(1)
    for seed in range(300):
        wait_ms, multiplier, factor = (
            rng.randint(1, 2000),
            rng.choice([1.0, 1.5, 2.0]),
            rng.choice([0.5, 0.25]),  # of which every product here is exact
        )
        source = preset(
            "resilience4j-2",
            max_attempts=7,
            wait=wait_ms / 1000,
            multiplier=multiplier,
            randomization=factor,
        )
        draws, interval, expected = Random(seed), wait_ms, []
        for _ in range(6):
            expected.append(randomized(interval, factor, draws.random()) / 1000)
            interval = int(interval * multiplier)
        assert waits_of(source, seed) == expected


def test_the_longest_wait_clamps_after_the_jitter() -> None:
    """The fault: at the cap all wait the same."""
    source = preset("resilience4j-2", wait="4s", randomization=0.1, max_wait="2s")
    assert {tuple(waits_of(source, seed)) for seed in range(20)} == {(2.0, 2.0)}


def test_a_wait_goes_by_its_number_and_is_finite_for_any() -> None:
    """Asked for the n-th at once, it is what n steps come to."""
    backoff = WholeGrowth(0.5, 1.5)
    state, rng = BackoffState(), Random(0)
    stepped = [next_wait_s(backoff, state, rng) for _ in range(60)]
    asked = [backoff.wait_s(BackoffState(number), rng) for number in range(1, 61)]
    assert asked == stepped
    assert 0 < backoff.wait_s(BackoffState(10_000), rng) <= 1e15
    assert 0 < WholeGrowth(0.5, 1000, 1.0).wait_s(BackoffState(10_000), rng) <= 2e15


@pytest.mark.parametrize("status", [400, 404, 429, 500, 503])
def test_every_error_status_is_retried(status: int) -> None:
    """The fault: all exceptions are, and clients throw for a 400 too."""
    assert drive(preset("resilience4j-2").build(), [Outcome(status=status), SERVED]).attempts == 2
