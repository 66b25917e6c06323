"""aiobreaker's breaker: half-open lets everyone through."""

import math
from dataclasses import dataclass, field
from enum import IntEnum
from random import Random

from loadtests.policies.actions import StopReason
from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.rule import Admission, Admitted, Refused
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_OPEN = Refused(StopReason.BREAKER)


class _State(IntEnum):
    CLOSED = 0
    OPEN = 1
    HALF_OPEN = 2


_BY_CLOSED, _BY_HALF_OPEN = Admitted(_State.CLOSED), Admitted(_State.HALF_OPEN)


@dataclass(slots=True)
class AioBreaker:
    """Opens after `fail_max` failures in a row; after `timeout_s` everyone may try.

    An outcome is judged by the state in which its attempt was let out: a failure that was let out
    closed counts on in an open breaker and opens it anew, for the whole time again; one that was
    let out half-open opens it, whatever it is by then, and a success closes it.
    """

    fail_max: int = 5
    timeout_s: float = 60.0
    failures: Failures = field(default_factory=Failures)
    _state: _State = field(init=False, default=_State.CLOSED)
    _in_a_row: int = field(init=False, default=0)
    _opened_s: float = field(init=False, default=0.0)
    _now_s: float = field(init=False, default=-math.inf)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("fail_max", self.fail_max, 1, 1e6)
        check_positive("timeout_s", self.timeout_s)

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything unless the timeout has not passed."""
        self._now_s = now_s = max(self._now_s, now_s)
        if self._state is _State.OPEN:
            if now_s < self._opened_s + self.timeout_s:
                return _OPEN
            self._state = _State.HALF_OPEN
        return _BY_CLOSED if self._state is _State.CLOSED else _BY_HALF_OPEN

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """By the state in which it was let out."""
        self._now_s = now_s = max(self._now_s, now_s)
        if self.failures.has(outcome):
            self._in_a_row += 1
            if permit == _State.HALF_OPEN or self._in_a_row >= self.fail_max:
                self._state = _State.OPEN
                self._opened_s = now_s
            return
        self._in_a_row = 0
        if permit == _State.HALF_OPEN:
            self._state = _State.CLOSED

    def released(self, now_s: float, permit: int) -> None:
        """A cancelled task is neither failure nor success."""

    def describe(self) -> str:
        """In words."""
        return (
            f"open after {self.fail_max} failures in a row ({self.failures.describe()}), for "
            f"{duration(self.timeout_s)}; then everyone tries"
        )
