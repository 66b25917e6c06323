"""Hystrix's breaker: judged by a timer over a rolling window, closed fully by one success."""

from collections import deque
from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.rule import ADMITTED, Admission
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

MOST_SNAPSHOTS = 10_000
"""In a window; each of them is kept."""


@dataclass(slots=True)
class HystrixBreaker:
    """Opens on `volume` attempts in `window_s` of which `failure_share` failed.

    The window is of whole health snapshots, one every `snapshot_s`, and it is judged only when a
    snapshot is complete: so the breaker opens up to that much late. After `sleep_s` one attempt is
    let out; its success closes the breaker fully and forgets the window, its failure reopens it.
    Whichever attempt ends first decides: one that was sent before it opened as well.
    """

    volume: int = 20
    failure_share: float = 0.5
    window_s: float = 10.0
    snapshot_s: float = 0.5
    sleep_s: float = 5.0
    failures: Failures = field(default_factory=Failures)
    _state: State = field(init=False, default=State.CLOSED)
    _complete: deque[tuple[int, int]] = field(init=False)
    _current: list[int] = field(init=False)
    _total: int = field(init=False, default=0)
    _failed: int = field(init=False, default=0)
    _due_s: float | None = field(init=False, default=None)
    _opened_s: float = field(init=False, default=0.0)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("request_volume", self.volume, 1, 1e6)
        check_within("failure_rate_share", self.failure_share, 0, 1)
        check_positive("window_s", self.window_s)
        check_positive("snapshot_s", self.snapshot_s)
        check_positive("sleep_window_s", self.sleep_s)
        check_within("snapshots", self.window_s / self.snapshot_s, 0, MOST_SNAPSHOTS)
        self._forget()

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything while closed, one attempt after the sleep."""
        now_s = self._move_to(now_s)
        if self._state is State.CLOSED:
            return ADMITTED
        if self._state is State.OPEN and now_s > self._opened_s + self.sleep_s:
            self._state = State.HALF_OPEN
            return ADMITTED
        return BROKEN

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Count it; half-open, decide by it."""
        now_s = self._move_to(now_s)
        failed = self.failures.has(outcome)
        if self._state is State.HALF_OPEN:
            if failed:
                self._open(now_s)
            else:
                self._state = State.CLOSED
                self._forget()
                self._due_s = now_s + self.snapshot_s
        self._current[0] += 1
        self._current[1] += failed

    def released(self, now_s: float, permit: int) -> None:
        """A cancelled command reopens a half-open breaker; it is not counted."""
        now_s = self._move_to(now_s)
        if self._state is State.HALF_OPEN:
            self._open(now_s)

    def _open(self, now_s: float) -> None:
        self._state = State.OPEN
        self._opened_s = now_s

    def _forget(self) -> None:
        snapshots = max(1, round(self.window_s / self.snapshot_s))
        self._complete = deque([(0, 0)] * snapshots)
        self._current = [0, 0]
        self._total = self._failed = 0

    def _move_to(self, now_s: float) -> float:
        """Complete the snapshots that are due, and judge at each."""
        now_s = self._clock.at(now_s)
        if self._due_s is None:
            self._due_s = now_s + self.snapshot_s
        if now_s < self._due_s:
            return now_s
        for _ in range(len(self._complete) + 1):  # after that many, all of them are empty
            if now_s < self._due_s:
                return now_s
            self._complete_one(self._due_s)
            self._due_s += self.snapshot_s
        if now_s >= self._due_s:
            self._due_s += ((now_s - self._due_s) // self.snapshot_s + 1) * self.snapshot_s
        return now_s

    def _complete_one(self, due_s: float) -> None:
        total, failed = self._current
        old_total, old_failed = self._complete.popleft()
        self._complete.append((total, failed))
        self._current = [0, 0]
        self._total += total - old_total
        self._failed += failed - old_failed
        if self._state is State.CLOSED and self._total >= self.volume:
            percent = int(self._failed / self._total * 100)  # whole percents, as the library has it
            if percent >= round(self.failure_share * 100):
                self._open(due_s)

    def describe(self) -> str:
        """In words."""
        return (
            f"open at {self.volume} attempts in {duration(self.window_s)} of which "
            f"{self.failure_share * 100:g}% failed ({self.failures.describe()}), judged every "
            f"{duration(self.snapshot_s)}; after {duration(self.sleep_s)} one trial"
        )
