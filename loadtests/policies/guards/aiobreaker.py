"""aiobreaker's breaker: half-open lets everyone through."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.rule import Admission, Admitted
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_BY_CLOSED, _BY_HALF_OPEN = Admitted(State.CLOSED), Admitted(State.HALF_OPEN)


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
    _state: State = field(init=False, default=State.CLOSED)
    _in_a_row: int = field(init=False, default=0)
    _opened_s: float = field(init=False, default=0.0)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("fail_max", self.fail_max, 1, 1e6)
        check_positive("timeout_s", self.timeout_s)

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything unless the timeout has not passed."""
        now_s = self._clock.at(now_s)
        if self._state is State.OPEN:
            if now_s < self._opened_s + self.timeout_s:
                return BROKEN
            self._state = State.HALF_OPEN
        return _BY_CLOSED if self._state is State.CLOSED else _BY_HALF_OPEN

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """By the state in which it was let out."""
        now_s = self._clock.at(now_s)
        if self.failures.has(outcome):
            self._in_a_row += 1
            if permit == State.HALF_OPEN or self._in_a_row >= self.fail_max:
                self._state = State.OPEN
                self._opened_s = now_s
            return
        self._in_a_row = 0
        if permit == State.HALF_OPEN:
            self._state = State.CLOSED

    def released(self, now_s: float, permit: int) -> None:
        """A cancelled task is neither failure nor success."""

    def describe(self) -> str:
        """In words."""
        return (
            f"open after {self.fail_max} failures in a row ({self.failures.describe()}), for "
            f"{duration(self.timeout_s)}; then everyone tries"
        )
