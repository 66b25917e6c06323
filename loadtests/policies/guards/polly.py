"""Polly's breaker: a share of failures over a sampled time, and one probe."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.rule import ADMITTED, Admission
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.rolling import RollingCounts
from loadtests.policies.units import duration

_WINDOWS = 10
_GOOD, _BAD = 0, 1


@dataclass(slots=True)
class PollyBreaker:
    """Opens when, on a failure, `throughput` attempts were sampled and `failure_share` failed.

    After `break_s` one probe goes out. Whatever is no failure closes the breaker and forgets the
    samples, an abandoned probe too; a failure reopens it. Whichever attempt ends first decides:
    one that was sent before it opened as well.
    """

    failure_share: float = 0.1
    throughput: int = 100
    sampling_s: float = 30.0
    break_s: float = 5.0
    failures: Failures = field(default_factory=Failures)
    _state: State = field(init=False, default=State.CLOSED)
    _until_s: float = field(init=False, default=0.0)
    _samples: RollingCounts = field(init=False)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("failure_ratio_share", self.failure_share, 0, 1)
        check_within("minimum_throughput", self.throughput, 2, 1e6)
        check_positive("sampling_s", self.sampling_s)
        check_positive("break_s", self.break_s)
        self._samples = RollingCounts(self.sampling_s, self.sampling_s / _WINDOWS)

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything while closed, one probe after the break."""
        now_s = self._clock.at(now_s)
        if self._state is State.OPEN and now_s >= self._until_s:
            self._state = State.HALF_OPEN
            return ADMITTED
        return ADMITTED if self._state is State.CLOSED else BROKEN

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Count it; half-open, decide by it."""
        now_s = self._clock.at(now_s)
        if not self.failures.has(outcome):
            self._no_failure(now_s)
            return
        if self._state is not State.HALF_OPEN:
            self._samples.add(now_s, _BAD)
        if self._state is State.HALF_OPEN or (self._state is State.CLOSED and self._is_bad()):
            self._state = State.OPEN
            self._until_s = now_s + self.break_s

    def released(self, now_s: float, permit: int) -> None:
        """A cancelled attempt is an outcome that the breaker does not handle: no failure."""
        self._no_failure(self._clock.at(now_s))

    def _no_failure(self, now_s: float) -> None:
        self._samples.add(now_s, _GOOD)
        if self._state is State.HALF_OPEN:
            self._state = State.CLOSED
            self._samples.clear()

    def _is_bad(self) -> bool:
        good, bad = self._samples.counts
        return good + bad >= self.throughput and bad / (good + bad) >= self.failure_share

    def describe(self) -> str:
        """In words."""
        return (
            f"open at {self.throughput} attempts in {duration(self.sampling_s)} of which "
            f"{self.failure_share * 100:g}% failed ({self.failures.describe()}); after "
            f"{duration(self.break_s)} one trial"
        )
