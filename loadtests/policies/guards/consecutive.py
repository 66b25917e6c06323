"""Article 002's breaker: consecutive failures open it, and one trial decides."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.rule import Admission, Admitted
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration


@dataclass(slots=True)
class ConsecutiveBreaker:
    """Closed → open after `threshold` failures in a row → half-open after a cooldown.

    Half-open lets one trial through. If it succeeds the breaker is closed; if it fails it is open
    again, for ``min(max, cooldown · multiplier^n)`` after n failed trials; if it was abandoned,
    another one may try. Only attempts that were let out in the present state count: what was in
    flight when the breaker opened decides nothing.
    """

    threshold: int = 5
    cooldown_s: float = 5.0
    multiplier: float = 2.0
    max_cooldown_s: float = 60.0
    failures: Failures = field(default_factory=Failures)
    _state: State = field(init=False, default=State.CLOSED)
    _turn: int = field(init=False, default=0)
    _in_a_row: int = field(init=False, default=0)
    _open_s: float = field(init=False)
    _until_s: float = field(init=False, default=0.0)
    _on_trial: bool = field(init=False, default=False)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("threshold", self.threshold, 1, 1e6)
        check_positive("cooldown_s", self.cooldown_s)
        check_within("cooldown_multiplier", self.multiplier, 1, 100)
        check_positive("max_cooldown_s", self.max_cooldown_s)
        self._open_s = self.cooldown_s

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything while closed, nothing while open, one at a time in between."""
        now_s = self._clock.at(now_s)
        if self._state is State.OPEN and now_s >= self._until_s:
            self._enter(State.HALF_OPEN)
        if self._state is State.OPEN or (self._state is State.HALF_OPEN and self._on_trial):
            return BROKEN
        self._on_trial = self._state is State.HALF_OPEN
        return Admitted(self._turn)

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Count it, or decide by it."""
        if permit != self._turn:
            return
        now_s = self._clock.at(now_s)
        failed = self.failures.has(outcome)
        if self._state is State.HALF_OPEN:
            if failed:
                self._open_s = min(self.max_cooldown_s, self._open_s * self.multiplier)
                self._open(now_s)
            else:
                self._open_s = min(self.max_cooldown_s, self.cooldown_s)
                self._enter(State.CLOSED)
        elif not failed:
            self._in_a_row = 0
        else:
            self._in_a_row += 1
            if self._in_a_row >= self.threshold:
                self._open_s = min(self.max_cooldown_s, self.cooldown_s)
                self._open(now_s)

    def released(self, now_s: float, permit: int) -> None:
        """An abandoned trial leaves its place to another."""
        if permit == self._turn:
            self._on_trial = False

    def _open(self, now_s: float) -> None:
        self._until_s = now_s + self._open_s
        self._enter(State.OPEN)

    def _enter(self, state: State) -> None:
        self._state = state
        self._turn += 1
        self._in_a_row = 0
        self._on_trial = False

    def describe(self) -> str:
        """In words."""
        return (
            f"open after {self.threshold} failures in a row ({self.failures.describe()}), for "
            f"min({duration(self.max_cooldown_s)}, {duration(self.cooldown_s)}·"
            f"{self.multiplier:g}^failed trials); then one trial"
        )
