"""resilience4j's breaker: rates over a window of calls or seconds, and a handful of trials."""

import math
from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_not_negative, check_positive, check_within
from loadtests.policies.guards.breaker import BROKEN, Clock, State
from loadtests.policies.guards.call_window import CallWindow, LastCalls, LastSeconds
from loadtests.policies.guards.rule import ADMITTED, Admission
from loadtests.policies.guards.verdict import Failures
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_LONGEST_OPEN_S = 1e9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a `Resilience4jBreaker` goes by; a window is of `window_size` calls, or seconds."""

    by_time: bool = False
    window_size: int = 100
    minimum_calls: int = 100
    failure_share: float = 0.5
    slow_share: float = 1.0
    slow_s: float = 60.0
    permitted: int = 10

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that make no breaker."""
        check_within("window_size", self.window_size, 1, 1e6)
        check_within("minimum_calls", self.minimum_calls, 1, 1e6)
        check_within("failure_rate_share", self.failure_share, 0, 1)
        check_within("slow_call_rate_share", self.slow_share, 0, 1)
        check_not_negative("slow_call_s", self.slow_s)
        check_within("permitted_in_half_open", self.permitted, 1, 1e6)

    def judge(self, counts: tuple[int, int, int], minimum: int) -> bool | None:
        """Whether these calls, failures and slow calls are too bad; None: too few to say."""
        calls, failed, slow = counts
        if calls < minimum:
            return None
        # In percent, as the library has it, so that the same rates round alike.
        return (
            failed * 100.0 / calls >= self.failure_share * 100.0
            or slow * 100.0 / calls >= self.slow_share * 100.0
        )


@dataclass(frozen=True, slots=True)
class Spells:
    """How long a `Resilience4jBreaker` stays in a state.

    Open: ``min(max_open, open · multiplier^n)`` after n failed trials in a row. Half-open: until it
    is judged, and at most `half_open_s` where that is above 0; then it is open again. Where
    `by_itself`, it goes half-open when its time has come, else with the next call.
    """

    open_s: float = 60.0
    multiplier: float = 1.0
    max_open_s: float | None = None
    half_open_s: float = 0.0
    by_itself: bool = False

    def __post_init__(self) -> None:
        """Raises `ValueError` for times that cannot be waited."""
        check_positive("wait_in_open_s", self.open_s)
        check_within("wait_in_open_multiplier", self.multiplier, 1, 100)
        check_not_negative("max_wait_in_half_open_s", self.half_open_s)

    def open_for_s(self, times: int) -> float:
        """For the n-th time in a row."""
        most_s = _LONGEST_OPEN_S if self.max_open_s is None else self.max_open_s
        try:
            return min(most_s, self.open_s * self.multiplier ** (times - 1))
        except OverflowError:
            return most_s


@dataclass(slots=True)
class Resilience4jBreaker:
    """Closed, open, half-open: by rates of failed and of slow calls.

    An outcome counts in the state that the breaker is in when it comes, whenever it was let out:
    half-open, ``min(minimum_calls, permitted)`` of them decide, those from before it opened too.
    Likewise, a call that is given up half-open gives a permit back, even one that never took it.
    """

    thresholds: Thresholds = field(default_factory=Thresholds)
    spells: Spells = field(default_factory=Spells)
    failures: Failures = field(default_factory=Failures)
    _state: State = field(init=False, default=State.CLOSED)
    _window: CallWindow = field(init=False)
    _minimum: int = field(init=False)
    _permits: int = field(init=False, default=0)
    _times_open: int = field(init=False, default=0)
    _until_s: float = field(init=False, default=math.inf)
    _clock: Clock = field(init=False, default_factory=Clock)

    def __post_init__(self) -> None:
        """Closed."""
        self._close()

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Anything while closed, a few half-open."""
        now_s = self._move_to(now_s)
        if self._state is State.CLOSED:
            return ADMITTED
        if self._state is State.OPEN and now_s > self._until_s:
            self._half_open(now_s)
        if self._state is State.OPEN or self._permits <= 0:
            return BROKEN
        self._permits -= 1
        return ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Record it and judge."""
        now_s = self._move_to(now_s)
        if self._state is State.OPEN:
            return
        slow = outcome.elapsed_s > self.thresholds.slow_s
        counts = self._window.record(now_s, self.failures.has(outcome), slow)
        bad = self.thresholds.judge(counts, self._minimum)
        if bad:
            self._open(now_s)
        elif bad is not None and self._state is State.HALF_OPEN:
            self._close()

    def released(self, now_s: float, permit: int) -> None:
        """A permit is free again, half-open."""
        self._move_to(now_s)
        if self._state is State.HALF_OPEN:
            self._permits += 1

    def _move_to(self, now_s: float) -> float:
        """Make the changes that time alone makes."""
        now_s = self._clock.at(now_s)
        if self._state is State.OPEN and self.spells.by_itself and now_s >= self._until_s:
            self._half_open(self._until_s)
        if self._state is State.HALF_OPEN and now_s >= self._until_s:
            self._open(self._until_s)
        return now_s

    def _close(self) -> None:
        limits = self.thresholds
        self._state = State.CLOSED
        self._times_open = 0
        if limits.by_time:
            self._window, self._minimum = LastSeconds(limits.window_size), limits.minimum_calls
        else:
            self._window = LastCalls(limits.window_size)
            self._minimum = min(limits.minimum_calls, limits.window_size)

    def _open(self, now_s: float) -> None:
        self._state = State.OPEN
        self._times_open += 1
        self._until_s = now_s + self.spells.open_for_s(self._times_open)

    def _half_open(self, now_s: float) -> None:
        limits = self.thresholds
        self._state = State.HALF_OPEN
        self._permits = limits.permitted
        self._window = LastCalls(limits.permitted)
        self._minimum = min(limits.minimum_calls, limits.permitted)
        self._until_s = now_s + (self.spells.half_open_s or math.inf)

    def describe(self) -> str:
        """In words."""
        limits, spells = self.thresholds, self.spells
        last = duration(limits.window_size) if limits.by_time else f"{limits.window_size} calls"
        grows = f"·{spells.multiplier:g}^failed trials" if spells.multiplier > 1 else ""
        half_open = f" within {duration(spells.half_open_s)}" if spells.half_open_s else ""
        return (
            f"open when of the last {last}, at least {limits.minimum_calls}, "
            f"{limits.failure_share * 100:g}% failed ({self.failures.describe()}) or "
            f"{limits.slow_share * 100:g}% took over {duration(limits.slow_s)}; "
            f"for {duration(spells.open_s)}{grows}; then {limits.permitted} trials{half_open}"
        )
