"""pybreaker's breaker: its lock is held through each call, so that calls wait for each other."""

import math
from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.rule import ADMITTED, Admission, Delayed
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_LEAST_HOLD_S = 0.001
_LONGEST_POLL_S = 0.25
_NEWEST = 0.2
"""The weight of the last call in the mean time for which the lock is held."""


@dataclass(slots=True)
class PyBreaker:
    """Opens after `fail_max` failures in a row; after `timeout_s` it tries again.

    `success_threshold` successes in a row close it, one failure reopens it. One attempt at a time
    is let out where `serialised`; the others wait for the lock, about in the order in which they
    come: each asks again when those before it are expected to be done, or after 250 ms.
    """

    fail_max: int = 5
    timeout_s: float = 60.0
    success_threshold: int = 1
    serialised: bool = True
    failures: Failures = field(default_factory=Failures)
    _state: State = field(init=False, default=State.CLOSED)
    _in_a_row: int = field(init=False, default=0)
    _good_in_a_row: int = field(init=False, default=0)
    _opened_s: float = field(init=False, default=0.0)
    _held_since_s: float | None = field(init=False, default=None)
    _hold_s: float = field(init=False, default=_LEAST_HOLD_S)
    _queue_ends_s: float = field(init=False, default=-math.inf)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("fail_max", self.fail_max, 1, 1e6)
        check_within("success_threshold", self.success_threshold, 1, 1e6)
        check_positive("reset_timeout_s", self.timeout_s)

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything unless the timeout has not passed, one at a time."""
        now_s = self._clock.at(now_s)
        if self._held_since_s is not None:
            # Whoever comes takes a place at the end of the queue and asks again at its turn.
            self._queue_ends_s = max(self._queue_ends_s, now_s) + self._hold_s
            turn_s = self._queue_ends_s - now_s
            return Delayed(min(_LONGEST_POLL_S, max(_LEAST_HOLD_S, turn_s)))
        if self._state is State.OPEN:
            if now_s < self._opened_s + self.timeout_s:
                return BROKEN
            self._state = State.HALF_OPEN
            self._good_in_a_row = 0
        if self.serialised:
            self._held_since_s = now_s
        return ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """By the state that the breaker is in: with the lock, that of when it was let out."""
        now_s = self._unlock(now_s)
        if self.failures.has(outcome):
            self._failure(now_s)
            return
        self._in_a_row = 0
        if self._state is State.HALF_OPEN:
            self._good_in_a_row += 1
            if self._good_in_a_row >= self.success_threshold:
                self._state = State.CLOSED

    def released(self, now_s: float, permit: int) -> None:
        """Whatever ends a call early is raised through it, and is a failure."""
        self._failure(self._unlock(now_s))

    def _failure(self, now_s: float) -> None:
        self._in_a_row += 1
        if self._state is State.HALF_OPEN or (
            self._state is State.CLOSED and self._in_a_row >= self.fail_max
        ):
            self._state = State.OPEN
            self._opened_s = now_s

    def _unlock(self, now_s: float) -> float:
        now_s = self._clock.at(now_s)
        if self._held_since_s is not None:
            held_s = max(_LEAST_HOLD_S, now_s - self._held_since_s)
            self._hold_s += _NEWEST * (held_s - self._hold_s)
            self._held_since_s = None
        return now_s

    def describe(self) -> str:
        """In words."""
        return (
            f"open after {self.fail_max} failures in a row ({self.failures.describe()}), for "
            f"{duration(self.timeout_s)}; closed again by {self.success_threshold} in a row"
            + ("; one attempt at a time, the others wait" if self.serialised else "")
        )
