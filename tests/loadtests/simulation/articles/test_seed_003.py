"""Article 003: its herd and its budget, to the last call."""

import pytest

from loadtests.policies.backoff import Backoff
from loadtests.simulation.articles.herd import Herd, herd
from loadtests.simulation.articles.seed_003 import backoffs
from tests.loadtests.simulation.articles.playing import ours, played


def test_the_herd_is_that_of_the_article() -> None:
    """Exactly, with `Random(7)`: calls, the busiest slot, and when all were served."""
    found = played("seed-003-herd")
    assert not found.missed
    assert list(ours(found).values()) == [81_000, 1975, 376.21, 6487, 205, 3.45]


@pytest.mark.parametrize(
    ("backoff", "expected"),
    [
        (backoffs()["without jitter"], Herd(81_000, 1975, 376.21)),
        (backoffs()["full jitter"], Herd(6487, 205, 3.45)),
    ],
)
def test_the_model_needs_no_preset(backoff: Backoff, expected: Herd) -> None:
    """By itself."""
    assert herd(backoff) == expected


def test_other_random_numbers_give_another_herd_of_the_same_size() -> None:
    """One seed is no law: jitter saves nine calls in ten whatever they are."""
    calls = [herd(backoffs()["full jitter"], seed=seed).calls for seed in range(3)]
    assert len(set(calls)) == 3
    assert all(6000 < one < 7000 for one in calls)


def test_4000_calls_become_1109() -> None:
    """1,000 requests to a service that always answers 503, without the budget and with it."""
    found = played("seed-003-budget")
    assert not found.missed
    assert list(ours(found).values()) == [4000, 1109]
