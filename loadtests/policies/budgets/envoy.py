"""Envoy's two limits on retries of a cluster: so many at a time, or a share of what is active.

A retry counts from when it is decided on, its back-off included, until it has ended.
"""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.guards import ADMITTED, Admission
from loadtests.policies.outcome import Outcome


@dataclass(slots=True)
class ActiveAttempts:
    """How many attempts of the scope are in flight. As a guard it lets everything out."""

    count: int = 0

    def admit(self, now_s: float, rng: Random) -> Admission:
        """One more."""
        self.count += 1
        return ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """One fewer."""
        self.count -= 1

    def released(self, now_s: float, permit: int) -> None:
        """One fewer."""
        self.count -= 1

    def describe(self) -> str:
        """In words."""
        return "counted as active"


@dataclass(slots=True)
class MaxRetries:
    """At most `most` retries at a time: the circuit breaker `max_retries`."""

    most: int = 3
    retrying: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Raises `ValueError` for fewer than none."""
        check_not_negative("max_retries", self.most)

    def limit(self) -> int:
        """How many may be under way now."""
        return self.most

    def requested(self, now_s: float) -> None:
        """A new request does not matter here."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A retry that ended makes room for another."""
        self.retrying -= int(held)

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take a place, held until the retry has ended."""
        if self.retrying >= self.limit():
            return None
        self.retrying += 1
        return 1.0

    def closed(self, now_s: float, held: float) -> None:
        """So does one that never ended."""
        self.retrying -= int(held)

    def describe(self) -> str:
        """In words."""
        return f"at most {self.most} retries at a time"


@dataclass(slots=True)
class RetryBudget(MaxRetries):
    """At most ``max(⌊share · active⌋, most)`` retries at a time: `retry_budget`.

    `most` is ``min_retry_concurrency``. Active is what is in flight, the failed attempt that asks
    for a retry still among it; what waits in back-off is not, though it counts as a retry
    (envoyproxy/envoy#30205). So of n attempts that fail at once fewer than ``share · n`` are
    retried: 16 of 100 at 20%.
    """

    share: float = 0.2
    active: ActiveAttempts = field(default_factory=ActiveAttempts)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a share outside 0 to 1 or a concurrency below 0."""
        check_within("budget_share", self.share, 0, 1)
        check_not_negative("min_retry_concurrency", self.most)

    def limit(self) -> int:
        """By what is active now, and the attempt that has just ended."""
        return max(int(self.share * (self.active.count + 1)), self.most)

    def describe(self) -> str:
        """In words."""
        return f"retries at a time: max({self.share * 100:g}% of active attempts, {self.most})"
