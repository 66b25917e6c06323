"""Finagle's decorrelated jitter, which never waits less than the time before."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import BackoffState
from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.units import duration


@dataclass(frozen=True, slots=True)
class RisingJitter:
    """``s ← U(s, min(cap, 3·s))``: `base` first, without jitter, and then from the wait before.

    `Backoff.DecorrelatedJittered`: unlike AWS's, the *lower* end moves up as well. Waits only ever
    grow, and gather at the cap.
    """

    base_s: float
    cap_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 0 < base ≤ cap."""
        check_positive("base_s", self.base_s)
        check_within("cap_s", self.cap_s, self.base_s, float("inf"))

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """A draw from the wait before."""
        if state.retry == 1:
            return self.base_s
        before_s = max(state.previous_s, self.base_s)
        return before_s + rng.random() * (min(self.cap_s, 3 * before_s) - before_s)

    def describe(self) -> str:
        """As in ``5 ms, then U(s, min(200 ms, 3·s)), s being the wait before``."""
        return (
            f"{duration(self.base_s)}, then U(s, min({duration(self.cap_s)}, 3·s)), "
            "s being the wait before"
        )
