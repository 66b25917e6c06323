"""Polly's jitter for exponential backoff: no two retries of two clients have the same spikes."""

import math
from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import BackoffState
from loadtests.policies.checks import check_not_negative
from loadtests.policies.units import duration

_P_FACTOR = 4.0
_SCALE = 1 / 1.4
_LARGEST_S = 922_337_203_685.0
"""What a .NET `TimeSpan` can hold."""
_LARGEST_EXPONENT = 1000.0


@dataclass(frozen=True, slots=True)
class SmoothedJitter:
    """``t = n − 1 + U(0, 1); x = 2^t · tanh(√(4·t))``; the wait is ``base · (x − x before) / 1.4``.

    `RetryHelper.DecorrelatedJitterBackoffV2`. Medians at base 1 s: 0.90, 1.13, 2.03, 4.03 s.
    """

    base_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base below 0."""
        check_not_negative("base_s", self.base_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The step from x to x; carries x on."""
        t = state.retry - 1 + rng.random()
        x = math.pow(2, min(t, _LARGEST_EXPONENT)) * math.tanh(math.sqrt(_P_FACTOR * t))
        wait_s = (x - state.carried) * _SCALE * self.base_s
        state.carried = x
        if t > _LARGEST_EXPONENT and self.base_s:
            return _LARGEST_S
        return min(max(0.0, wait_s), _LARGEST_S)

    def describe(self) -> str:
        """In words."""
        return f"{duration(self.base_s)}·(x(n−1+U(0, 1)) − x before)/1.4, x(t) = 2^t·tanh(√(4·t))"
