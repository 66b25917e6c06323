"""What became of each probe, and of all of them: frozen values that findings are drawn from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from faults.wire import TracedAttempt
from loadtests.audit.answer import Answer
from loadtests.audit.refusals import Probe


@dataclass(frozen=True, slots=True)
class Course:
    """One marked request: what its client got, and the attempts that the target saw of it.

    `left_off` attempts came beyond those that the target keeps. `elsewhere` is looked at where none
    came: how many attempts arrived meanwhile in each lane without the mark.
    """

    probe: Probe
    trace_id: str
    answer: Answer
    attempts: tuple[TracedAttempt, ...] = ()
    left_off: int = 0
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many attempts arrived."""
        return len(self.attempts) + self.left_off

    @property
    def retries(self) -> int:
        """How many after the first."""
        return max(0, self.total - 1)

    @property
    def intervals_s(self) -> tuple[float, ...]:
        """From each attempt to the next, seconds."""
        return tuple(later.t_s - earlier.t_s for earlier, later in pairwise(self.attempts))

    @property
    def span_s(self) -> float:
        """From the first attempt to the last, seconds."""
        return sum(self.intervals_s)


class Verdict(StrEnum):
    """The audit in a word."""

    NO_RETRIES = "no-retries"
    RETRIES = "retries"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Closure:
    """After a refusal the entry let nothing through for a while, and said this by itself."""

    answer: Answer
    lasted_s: float | None
    """Seconds; None: it had not opened again by the end of the wait."""


@dataclass(frozen=True, slots=True)
class Audit:
    """All that was seen. `healthy` are the probes without a refusal, one for each method.

    `strangers` counts attempts in the lane that bear no mark of this audit. `stopped`: by a signal,
    before all was tried.
    """

    entry: str
    target: str
    lane: str
    timeout_s: float
    healthy: tuple[Course, ...]
    courses: tuple[Course, ...]
    closures: tuple[Closure, ...] = ()
    strangers: int = 0
    stopped: bool = False

    @property
    def all_courses(self) -> tuple[Course, ...]:
        """Those that were to be served and those that were refused."""
        return self.healthy + self.courses

    @property
    def lost(self) -> tuple[Course, ...]:
        """The courses in which nothing was seen at the target."""
        return tuple(course for course in self.all_courses if course.total == 0)

    @property
    def verdict(self) -> Verdict:
        """Retries are retries however much else is in doubt; their absence must be seen."""
        if any(course.retries for course in self.all_courses):
            return Verdict.RETRIES
        seen = bool(self.courses) and not self.lost
        return Verdict.NO_RETRIES if seen else Verdict.UNKNOWN
