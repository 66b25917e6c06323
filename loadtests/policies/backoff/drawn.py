"""Waits whose jitter does not follow from one wait: a power of a draw, and a draw times n."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.growth import LARGEST_WAIT_S
from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class PowerJitter:
    """``w + U(0, size)^power`` of the wait w of another (aiohttp-retry): small draws are likelier.

    The draw is in seconds, and so is its power.
    """

    of: Backoff
    size_s: float = 2.0
    power: float = 2.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a size below 0, or what is too large to be raised."""
        check_within("size_s", self.size_s, 0, 3600)
        check_within("power", self.power, 0, 100)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        wait_s = self.of.wait_s(state, rng)
        try:
            drawn_s = float(rng.uniform(0.0, self.size_s) ** self.power)
        except OverflowError:
            return LARGEST_WAIT_S
        return min(LARGEST_WAIT_S, wait_s + drawn_s)

    def describe(self) -> str:
        """As in ``100 ms·2^n + U(0, 2)^2 s``."""
        return f"{self.of.describe()} + U(0, {self.size_s:g})^{self.power:g} s"


@dataclass(frozen=True, slots=True)
class LinearDraw:
    """``n · U(least, most)``; without jitter, ``n · least``, where `most` is not above `least`."""

    least_s: float
    most_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("least_s", self.least_s)
        check_not_negative("most_s", self.most_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw."""
        if self.most_s <= self.least_s:
            return state.retry * self.least_s
        return state.retry * rng.uniform(self.least_s, self.most_s)

    def describe(self) -> str:
        """As in ``n·U(800 ms, 1.2 s)``."""
        if self.most_s <= self.least_s:
            return f"n·{duration(self.least_s)}"
        return f"n·U({duration(self.least_s)}, {duration(self.most_s)})"
