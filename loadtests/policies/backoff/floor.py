"""A lower bound around a backoff."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class AtLeast:
    """``max(least, the wait of another)``. Around a capped one the bound overrules the cap."""

    of: Backoff
    least_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("least_s", self.least_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait, at least `least_s`."""
        return max(self.least_s, self.of.wait_s(state, rng))

    def describe(self) -> str:
        """As in ``max(1 s, min(5 s, 100 ms·2^n))``."""
        return f"max({duration(self.least_s)}, {self.of.describe()})"
