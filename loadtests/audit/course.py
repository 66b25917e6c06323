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
    came: how many attempts arrived meanwhile in each lane without the mark. `disturbances` are
    clauses: what else an attempt may have met than what the course asked for.
    """

    probe: Probe
    trace_id: str
    answer: Answer
    attempts: tuple[TracedAttempt, ...] = ()
    left_off: int = 0
    elsewhere: Mapping[str, int] = field(default_factory=dict)
    disturbances: tuple[str, ...] = ()

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
    """All that was seen, request by request.

    What was disturbed is no evidence: `healthy`, `courses` and `lost`, and with them all that is
    found, leave it out. `strangers` counts attempts in the lane that bear no mark of this audit.
    `stopped`: by a signal, before all was tried.
    """

    entry: str
    target: str
    lane: str
    timeout_s: float
    requests: tuple[Course, ...]
    closures: tuple[Closure, ...] = ()
    strangers: int = 0
    stopped: bool = False

    @property
    def disturbed(self) -> tuple[Course, ...]:
        """Those that met something else, or may have."""
        return tuple(course for course in self.requests if course.disturbances)

    @property
    def all_courses(self) -> tuple[Course, ...]:
        """Those that prove something."""
        return tuple(course for course in self.requests if not course.disturbances)

    @property
    def healthy(self) -> tuple[Course, ...]:
        """Of these, those that were to be served."""
        return tuple(course for course in self.all_courses if course.probe.refusal is None)

    @property
    def courses(self) -> tuple[Course, ...]:
        """Of these, those that were refused."""
        return tuple(course for course in self.all_courses if course.probe.refusal is not None)

    @property
    def lost(self) -> tuple[Course, ...]:
        """The courses in which nothing was seen at the target."""
        return tuple(course for course in self.all_courses if course.total == 0)

    @property
    def verdict(self) -> Verdict:
        """Retries are retries however much else is in doubt; their absence must be seen."""
        if any(course.retries for course in self.all_courses):
            return Verdict.RETRIES
        seen = bool(self.courses) and not self.lost and not self.disturbed
        return Verdict.NO_RETRIES if seen else Verdict.UNKNOWN
