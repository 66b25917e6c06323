"""What backoffs say of themselves: formulas that show no more than there is."""

from random import Random

import pytest

from loadtests.policies.backoff import (
    Backoff,
    BackoffState,
    Capped,
    Doubling,
    Exponential,
    Fixed,
    FullJitter,
    Linear,
    WholeGrowth,
)

CONSTANT: list[tuple[Backoff, str, float]] = [
    (Exponential(0.01, 1.0), "10 ms", 0.01),
    (Capped(Exponential(0.01, 1.0), 0.01), "10 ms", 0.01),
    (Capped(Exponential(0.01, 1.0), 5.0), "10 ms", 0.01),
    (Capped(Exponential(2.0, 1.0, first=0), 1.0), "1 s", 1.0),
    (Exponential(0.0), "0", 0.0),
    (Linear(0.1, 0.0), "100 ms", 0.1),
    (Capped(Linear(0.1, 0.0), 0.05), "50 ms", 0.05),
    (Capped(Fixed(0.1), 1.0), "100 ms", 0.1),
    (Doubling(0.025, 0.025), "25 ms", 0.025),
    (WholeGrowth(4.0, cap_s=2.0), "2 s", 2.0),
]


@pytest.mark.parametrize(("backoff", "text", "wait_s"), CONSTANT)
def test_a_wait_that_does_not_grow_is_shown_as_it_is(
    backoff: Backoff, text: str, wait_s: float
) -> None:
    """Neither to the power of n, nor as the lesser of two that are known; and it is that wait."""
    assert backoff.describe() == text
    assert {backoff.wait_s(BackoffState(retry), Random(0)) for retry in (1, 2, 9)} == {wait_s}


GROWING: list[tuple[Backoff, str]] = [
    (Capped(Exponential(0.01, 1.5), 0.01), "min(10 ms, 10 ms·1.5^(n−1))"),
    (Linear(0.1, 0.05), "100 ms + 50 ms·(n−1)"),
    (FullJitter(Capped(Exponential(0.01, 1.0), 5.0)), "U(0, 10 ms)"),
    (Capped(FullJitter(Fixed(0.1)), 0.05), "min(50 ms, U(0, 100 ms))"),
    (WholeGrowth(4.0, randomization=0.5, cap_s=2.0), "min(2 s, 4 s·U(0.5, 1.5))"),
]


@pytest.mark.parametrize(("backoff", "text"), GROWING)
def test_what_grows_or_is_drawn_keeps_its_formula(backoff: Backoff, text: str) -> None:
    """A clamp around a draw is told."""
    assert backoff.describe() == text
