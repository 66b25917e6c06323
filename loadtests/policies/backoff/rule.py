"""What a backoff must answer: how long to wait before a retry."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from loadtests.policies.outcome import Outcome


@dataclass(slots=True)
class BackoffState:
    """Where one request is in its backoff: the only state there is, and it is passed in.

    `retry` is the number of the retry to come, from 1. `previous_s` is the last wait as it was
    answered, 0 before the first. `carried` is a backoff's own, from one wait to the next. `after`
    is the failure that the wait follows, for rules that wait longer after some than after others.
    """

    retry: int = 0
    previous_s: float = 0.0
    carried: float = 0.0
    after: Outcome | None = None


class Backoff(Protocol):
    """A rule for waits: a frozen value, that others can wrap."""

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait before retry number ``state.retry``, in seconds: finite, 0 or more."""
        ...

    def describe(self) -> str:
        """The rule as a formula in n, the number of the retry from 1."""
        ...


def next_wait_s(backoff: Backoff, state: BackoffState, rng: Random) -> float:
    """The wait before the next retry of a request; moves `state` on."""
    state.retry += 1
    state.previous_s = backoff.wait_s(state, rng)
    return state.previous_s
