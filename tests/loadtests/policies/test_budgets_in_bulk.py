"""What a budget answers for many at once is what it answers for one after another."""

from copy import deepcopy
from random import Random

import numpy as np
import pytest

from loadtests.policies import Outcome
from loadtests.policies.budgets import (
    Bucket,
    Budget,
    BulkBudget,
    FinagleBudget,
    GrpcThrottle,
    ShareOf,
    TowerBudget,
    WindowBudget,
)
from tests.loadtests.policies.drive import OVERLOADED, SERVED

BUDGETS: list[Budget] = [
    Bucket(),
    Bucket.of_ratio(0.1, 10),
    Bucket.of_ratio(0.37, 2.5),
    GrpcThrottle(),
    GrpcThrottle(7.3, 0.013),
    GrpcThrottle(0.001, 1000),
    WindowBudget(0.07, ShareOf.REQUESTS, 3.0),
    WindowBudget(0.2, ShareOf.SUCCESSES, 1.0),
    FinagleBudget(2, 1, 0.2),
    FinagleBudget(1, 0, 0.5),
    TowerBudget(2, 1, 0.2),
    TowerBudget(3, 0, 2.5),
]


def one_by_one(budget: Budget, now_s: float, failures: int) -> int:
    """How many retries it grants; they must be the first ones."""
    granted = []
    for _ in range(failures):
        budget.observed(now_s, OVERLOADED, True, 0.0)
        granted.append(budget.withdraw(now_s, OVERLOADED) is not None)
    assert sorted(granted, reverse=True) == granted
    return sum(granted)


def several(budget: Budget, now_s: float, requests: int, outcome: Outcome) -> None:
    for _ in range(requests):
        budget.requested(now_s)
        budget.observed(now_s, outcome, False, 0.0)


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: budget.describe())
def test_a_group_is_as_many_one_by_one(budget: Budget) -> None:
    """Through a course of ticks with requests, failures and successes in groups of any size."""
    rng = Random(5)
    single, bulk = deepcopy(budget), deepcopy(budget)
    assert isinstance(bulk, BulkBudget)
    for tick in range(400):
        now_s = tick * 0.1
        new, failures = rng.choice([0, 1, 40]), rng.choice([0, 0, 1, 2, 9])
        several(single, now_s, new, SERVED)
        bulk.requested_many(now_s, new)
        bulk.succeeded_many(now_s, new)
        assert bulk.withdraw_many(now_s, failures) == one_by_one(single, now_s, failures)
    assert bulk == single


def test_formulas_take_arrays_of_states() -> None:
    """Of many clients at once, each of whom has a number of credits and of failures."""
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 30, 500)
    bucket, throttle = Bucket(), GrpcThrottle()
    kept, tokens = rng.integers(0, 101, 500), rng.integers(0, 10_001, 500)
    paid, allowed = bucket.affordable(kept, counts), throttle.allowed(tokens, counts)
    for place, count in enumerate(counts.tolist()):
        bucket.credits = int(kept[place])
        throttle.thousandths = int(tokens[place])
        assert paid[place] == one_by_one(bucket, 0.0, count)
        assert allowed[place] == one_by_one(throttle, 0.0, count)
