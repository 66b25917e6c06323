"""How long to wait before retry number `n`, counted from 1, in seconds.

The waits are those of article 000, with a base of 100 ms for its tick.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Protocol


class Backoff(Protocol):
    """A rule for waits. A frozen value: the random numbers are passed in."""

    def wait_s(self, retry: int, rng: Random) -> float:
        """The wait before retry number `retry`, from 1."""
        ...

    def describe(self) -> str:
        """The rule as a formula."""
        ...


def check_positive(name: str, value: float) -> None:
    """Raises `ValueError` unless `value` is finite and above 0."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is {value}: expected a finite number above 0")


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same wait before every retry."""

    delay_s: float = 0.1

    def __post_init__(self) -> None:
        """Raises `ValueError` for a delay that is not above 0."""
        check_positive("delay_s", self.delay_s)

    def wait_s(self, retry: int, rng: Random) -> float:
        """`delay_s`."""
        return self.delay_s

    def describe(self) -> str:
        """As in ``100 ms``."""
        return _ms(self.delay_s)


@dataclass(frozen=True, slots=True)
class Exponential:
    """``min(cap, base · 2^n)``: 200, 400, 800 ms with the defaults."""

    base_s: float = 0.1
    cap_s: float = 6.4

    def __post_init__(self) -> None:
        """Raises `ValueError` for a base or a cap that is not above 0."""
        check_positive("base_s", self.base_s)
        check_positive("cap_s", self.cap_s)

    def wait_s(self, retry: int, rng: Random) -> float:
        """The capped wait, without any jitter."""
        # The exponent is bounded so that no retry number, however large, overflows a float.
        return min(self.cap_s, self.base_s * 2.0 ** min(retry, 1000))

    def describe(self) -> str:
        """As in ``min(6400 ms, 100 ms · 2^n)``."""
        return f"min({_ms(self.cap_s)}, {_ms(self.base_s)} · 2^n)"


@dataclass(frozen=True, slots=True)
class FullJitter:
    """``U(base, min(cap, base · 2^n))``: from one base up to the exponential wait.

    The article draws ``1 + U{0 .. k - 1}`` whole ticks; this is the continuous draw with the same
    range and the same mean. Clients know nothing of a service's ticks, and waits of whole ticks
    would bring each one back at the very place in a tick at which it was turned away.
    """

    of: Exponential

    def wait_s(self, retry: int, rng: Random) -> float:
        """A draw. A cap below the base is the wait itself."""
        longest_s = self.of.wait_s(retry, rng)
        return rng.uniform(min(self.of.base_s, longest_s), longest_s)

    def describe(self) -> str:
        """As in ``U(100 ms, min(6400 ms, 100 ms · 2^n))``."""
        return f"U({_ms(self.of.base_s)}, {self.of.describe()})"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:g} ms"
