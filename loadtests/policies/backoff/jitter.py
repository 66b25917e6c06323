"""Jitter around a backoff: what keeps clients that failed together from coming back together."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class FullJitter:
    """``U(least, w)`` of the wait w of another: the whole interval is used.

    AWS Architecture Blog, "Exponential Backoff And Jitter". `least_s` is 0 there; in article 000,
    whose waits are at least one tick, it is one base. A wait below `least_s` is the wait itself.
    """

    of: Backoff
    least_s: float = 0.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a least wait below 0."""
        check_not_negative("least_s", self.least_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        longest_s = self.of.wait_s(state, rng)
        return rng.uniform(min(self.least_s, longest_s), longest_s)

    def describe(self) -> str:
        """As in ``U(0, min(5 s, 100 ms·2^n))``."""
        return f"U({duration(self.least_s)}, {self.of.describe()})"


@dataclass(frozen=True, slots=True)
class BandJitter:
    """``w · U(low, high)`` of the wait w of another: 0.8 to 1.2 in gRPC, ½ to 1 in equal jitter."""

    of: Backoff
    low: float
    high: float

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 0 ≤ low ≤ high ≤ 10."""
        check_within("low", self.low, 0, 10)
        check_within("high", self.high, self.low, 10)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        return self.of.wait_s(state, rng) * rng.uniform(self.low, self.high)

    def describe(self) -> str:
        """As in ``min(5 s, 100 ms·2^n)·U(0.8, 1.2)``."""
        return f"{self.of.describe()}·U({self.low:g}, {self.high:g})"


@dataclass(frozen=True, slots=True)
class AddedJitter:
    """``w + U(0, jitter)`` of the wait w of another."""

    of: Backoff
    jitter_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a jitter below 0."""
        check_not_negative("jitter_s", self.jitter_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        return self.of.wait_s(state, rng) + rng.uniform(0.0, self.jitter_s)

    def describe(self) -> str:
        """As in ``100 ms·2^n + U(0, 1 s)``."""
        return f"{self.of.describe()} + U(0, {duration(self.jitter_s)})"


@dataclass(frozen=True, slots=True)
class DecorrelatedJitter:
    """``s ← min(cap, U(base, 3·s))``, s being the wait before, and `base` before the first.

    AWS Architecture Blog, "Exponential Backoff And Jitter". The clamp comes after the draw: from
    ``3·s`` far above the cap on, most waits are the cap itself.
    """

    base_s: float
    cap_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base or a cap below 0."""
        check_not_negative("base_s", self.base_s)
        check_not_negative("cap_s", self.cap_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw from the wait before."""
        before_s = self.base_s if state.retry == 1 else state.previous_s
        return min(self.cap_s, rng.uniform(self.base_s, 3 * before_s))

    def describe(self) -> str:
        """As in ``min(5 s, U(100 ms, 3·the wait before))``."""
        return f"min({duration(self.cap_s)}, U({duration(self.base_s)}, 3·the wait before))"
