"""Backoffs that differ by the failure before the wait."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from loadtests.policies.backoff.rule import Backoff, BackoffState
from loadtests.policies.outcome import Outcome


class Kind(Protocol):
    """A kind of failure. A frozen value."""

    def matches(self, outcome: Outcome) -> bool:
        """Whether this failure is of the kind."""
        ...

    def describe(self) -> str:
        """In words."""
        ...


@dataclass(frozen=True, slots=True)
class ByFailure:
    """One backoff after failures of a kind, and another after all others."""

    kind: Kind
    of_kind: Backoff
    of_others: Backoff

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait of one or the other; both count the same retries."""
        if state.after is not None and self.kind.matches(state.after):
            return self.of_kind.wait_s(state, rng)
        return self.of_others.wait_s(state, rng)

    def describe(self) -> str:
        """As in ``U(0, 50 ms·2^(n−1)) (after 429 U(0, 1 s·2^(n−1)))``."""
        of_kind = f"after {self.kind.describe()} {self.of_kind.describe()}"
        return f"{self.of_others.describe()} ({of_kind})"
