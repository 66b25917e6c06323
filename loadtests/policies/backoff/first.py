"""A first retry without any wait."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.backoff.rule import Backoff, BackoffState


@dataclass(frozen=True, slots=True)
class FirstAtOnce:
    """0 before the first retry, then the wait of another for n = 2, 3, …: its own n = 1 is unused.

    Those who failed together come back together at once, whatever jitter follows.
    """

    of: Backoff

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """Nothing, and nothing drawn, before the first."""
        return 0.0 if state.retry <= 1 else self.of.wait_s(state, rng)

    def describe(self) -> str:
        """As in ``0, then min(2 min, 800 ms·2^(n−1))``."""
        return f"0, then {self.of.describe()}"
