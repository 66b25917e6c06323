"""A clamp around a backoff. Around a jittered one it comes after the jitter, which collapses."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.growth import constant_s
from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.checks import check_not_negative
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class Capped:
    """``min(cap, the wait of another)``."""

    of: Backoff
    cap_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a cap below 0."""
        check_not_negative("cap_s", self.cap_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait, at most `cap_s`."""
        return min(self.cap_s, self.of.wait_s(state, rng))

    def describe(self) -> str:
        """As in ``min(5 s, 100 ms·2^n)``; of a wait that does not grow, what comes of it."""
        wait_s = constant_s(self.of)
        if wait_s is not None:
            return duration(min(self.cap_s, wait_s))
        return f"min({duration(self.cap_s)}, {self.of.describe()})"
