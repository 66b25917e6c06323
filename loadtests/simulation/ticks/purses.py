"""A budget in each of very many clients: its numbers as arrays, its formulas as they are."""

from typing import Protocol

import numpy as np

from loadtests.policies.budgets import Bucket, BulkBudget, GrpcThrottle
from loadtests.simulation.ticks.course import NotInTicksError
from reports.reading.series import Counts

Clients = slice | Counts
"""Some of them, each once."""
_LARGEST = 2**53
"""A number that a purse may come to hold, and that is far from an overflow."""


class Purses(Protocol):
    """The budgets of all clients."""

    counts_failures: bool

    def requested(self, clients: Clients, requests: Counts) -> None:
        """Each of these makes so many requests."""
        ...

    def withdraw(self, clients: Clients, failures: Counts) -> Counts:
        """How many of so many failures in a row each may follow with a retry: the first ones."""
        ...

    def succeeded(self, clients: Clients, successes: Counts) -> None:
        """Each of these has so many successes."""
        ...


def purses_of(budget: BulkBudget | None, clients: int) -> Purses:
    """As many as there are clients, all as this one is. Raises `NotInTicksError`."""
    if isinstance(budget, Bucket) and budget.most + budget.earn < _LARGEST:
        return _Buckets(budget, clients)
    if isinstance(budget, GrpcThrottle):
        return _Throttles(budget, clients)
    raise NotInTicksError("has a budget that is not kept for each of so many clients")


class _Buckets:
    """Buckets that requests fill."""

    counts_failures = False

    def __init__(self, bucket: Bucket, clients: int) -> None:
        self._bucket = bucket
        self._credits = np.full(clients, bucket.credits, np.int64)

    def requested(self, clients: Clients, requests: Counts) -> None:
        self._credits[clients] = self._bucket.filled(self._credits[clients], requests)

    def withdraw(self, clients: Clients, failures: Counts) -> Counts:
        retries = self._bucket.affordable(self._credits[clients], failures)
        self._credits[clients] -= retries * self._bucket.cost
        return retries

    def succeeded(self, clients: Clients, successes: Counts) -> None:
        pass


class _Throttles:
    """Tokens that failures take and successes give."""

    counts_failures = True

    def __init__(self, throttle: GrpcThrottle, clients: int) -> None:
        self._throttle = throttle
        self._tokens = np.full(clients, throttle.thousandths, np.int64)

    def requested(self, clients: Clients, requests: Counts) -> None:
        pass

    def withdraw(self, clients: Clients, failures: Counts) -> Counts:
        tokens = self._tokens[clients]
        self._tokens[clients] = self._throttle.drained(tokens, failures)
        return self._throttle.allowed(tokens, failures)

    def succeeded(self, clients: Clients, successes: Counts) -> None:
        self._tokens[clients] = self._throttle.refilled(self._tokens[clients], successes)
