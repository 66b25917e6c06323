"""Waits in whole milliseconds, as libraries make them that count in integers."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.growth import LARGEST_WAIT_S
from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative, check_positive, check_within
from loadtests.policies.units import duration

_LARGEST_MS = int(LARGEST_WAIT_S * 1000)


def whole_ms(seconds: float) -> int:
    """Cut to whole milliseconds; what a float holds a hair below one of them is that one."""
    return int(seconds * 1000 + 1e-6)


@dataclass(frozen=True, slots=True)
class WholeFullJitter:
    """``U{0 … w − 1}`` whole milliseconds of the wait w of another (Envoy's ``random % w``)."""

    of: Backoff

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        longest_ms = whole_ms(self.of.wait_s(state, rng))
        return int(rng.random() * longest_ms) / 1000

    def describe(self) -> str:
        """As in ``U(0, 25 ms·2^(n−1)) in whole ms``."""
        return f"U(0, {self.of.describe()}) in whole ms"


@dataclass(frozen=True, slots=True)
class Doubling:
    """``base``, twice as much each time, and `cap` once half of it is reached; in whole ms.

    Envoy's `JitteredExponentialBackOffStrategy`: 25, 50, 100, 200, 250 ms for a cap of 250. Base
    and cap are cut to whole milliseconds, and so is half of the cap: with 50 and 101 ms the second
    interval is 101, since 50 is not below 50. A retry whose wait the server named does not count.
    """

    base_s: float
    cap_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 0 < base ≤ cap."""
        check_positive("base_s", self.base_s)
        check_within("cap_s", self.cap_s, self.base_s, float("inf"))

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """Twice the one before, which is carried on: it does not go by `state.retry`."""
        base_ms, cap_ms = max(1, whole_ms(self.base_s)), max(1, whole_ms(self.cap_s))
        before_ms = int(state.carried)
        if not before_ms:
            interval_ms = base_ms
        else:
            interval_ms = 2 * before_ms if before_ms < cap_ms // 2 else cap_ms
        state.carried = float(interval_ms)
        return interval_ms / 1000

    def describe(self) -> str:
        """As in ``min(250 ms, 25 ms·2^(n−1))``; what does not grow as it is."""
        if self.base_s == self.cap_s:
            return duration(self.base_s)
        return f"min({duration(self.cap_s)}, {duration(self.base_s)}·2^(n−1))"


@dataclass(frozen=True, slots=True)
class WholeGrowth:
    """``interval · multiplier``, cut to whole milliseconds at every step (resilience4j).

    Then ``· U(1 − randomization, 1 + randomization)``, cut again, and at most `cap_s`: the clamp
    comes after the jitter. `IntervalFunction.java`.
    """

    base_s: float
    multiplier: float = 1.0
    randomization: float = 0.0
    cap_s: float | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base below 0 or a multiplier below 1, among others."""
        check_within("wait_s", self.base_s, 0, LARGEST_WAIT_S)
        check_within("multiplier", self.multiplier, 1, 1e6)
        check_within("randomization", self.randomization, 0, 1)
        if self.cap_s is not None:
            check_not_negative("max_wait_s", self.cap_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The next interval, and a draw around it; carries the interval on, in milliseconds."""
        interval = self._interval_ms(state)
        state.carried = float(interval)
        if self.randomization:
            around = self.randomization * interval
            interval = int(interval - around + rng.random() * 2 * around)
        wait_s = min(interval / 1000, LARGEST_WAIT_S)
        return wait_s if self.cap_s is None else min(wait_s, self.cap_s)

    def _interval_ms(self, state: BackoffState) -> int:
        """From the one before where there is one, or step by step."""
        if state.retry > 1 and state.carried:
            return self._step(int(state.carried))
        interval = whole_ms(self.base_s)
        for _ in range(state.retry - 1):
            stepped = self._step(interval)
            if stepped == interval:
                break
            interval = stepped
        return interval

    def _step(self, interval_ms: int) -> int:
        return min(int(interval_ms * self.multiplier), _LARGEST_MS)

    def describe(self) -> str:
        """As in ``min(5 s, 500 ms·1.5^(n−1)·U(0.5, 1.5))``."""
        text = duration(self.base_s)
        if not self.randomization and self.multiplier == 1 and self.cap_s is not None:
            return duration(min(self.cap_s, self.base_s))
        if self.multiplier != 1:
            text += f"·{self.multiplier:g}^(n−1)"
        if self.randomization:
            text += f"·U({1 - self.randomization:g}, {1 + self.randomization:g})"
        return text if self.cap_s is None else f"min({duration(self.cap_s)}, {text})"
