"""How a wait grows from retry to retry, before any jitter. n is the number of the retry, from 1."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative, check_positive
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same wait before every retry; 0 retries at once."""

    delay_s: float = 0.1

    def __post_init__(self) -> None:
        """Raises `ValueError` for a delay that is not 0 or more."""
        check_not_negative("delay_s", self.delay_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """`delay_s`."""
        return self.delay_s

    def describe(self) -> str:
        """As in ``100 ms``."""
        return duration(self.delay_s)


@dataclass(frozen=True, slots=True)
class Linear:
    """``base + step·(n - 1)``."""

    base_s: float
    step_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base or a step below 0."""
        check_not_negative("base_s", self.base_s)
        check_not_negative("step_s", self.step_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait, without a cap: wrap it in one."""
        return self.base_s + self.step_s * (state.retry - 1)

    def describe(self) -> str:
        """As in ``100 ms + 50 ms·(n−1)``; what does not grow as it is."""
        step = f" + {duration(self.step_s)}·(n−1)" if self.step_s else ""
        return duration(self.base_s) + step


@dataclass(frozen=True, slots=True)
class Exponential:
    """``base · factor^(n - first)``: `first` is 1 where the first wait is `base` itself, else 0.

    Without a cap: wrap it in `Capped`. Of ``first = 0`` it is article 000's ``base · 2^n``.
    """

    base_s: float
    factor: float = 2.0
    first: int = 1

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base below 0 or a factor not above 0."""
        check_not_negative("base_s", self.base_s)
        check_positive("factor", self.factor)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait; where a float cannot hold it, the largest that one can."""
        try:
            wait_s = self.base_s * self.factor ** (state.retry - self.first)
        except OverflowError:
            return LARGEST_WAIT_S if self.base_s else 0.0
        return min(wait_s, LARGEST_WAIT_S)

    def describe(self) -> str:
        """As in ``100 ms·2^n``; what does not grow as it is."""
        if self.factor == 1 or not self.base_s:
            return duration(self.base_s)
        exponent = f"(n−{self.first})" if self.first else "n"
        return f"{duration(self.base_s)}·{self.factor:g}^{exponent}"


def constant_s(backoff: Backoff) -> float | None:
    """The wait of one that answers the same before every retry; None of any other."""
    match backoff:
        case Fixed(delay_s):
            return delay_s
        case Linear(base_s, 0):
            return base_s
        case Exponential(base_s, factor) if factor == 1 or not base_s:
            return base_s
    return None


LARGEST_WAIT_S = 1e15
"""Thirty million years: what an uncapped exponential is held to, so that every wait is finite."""
