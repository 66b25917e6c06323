"""A limit on time around a policy, of the kinds that `Deadline` cannot tell: it cuts waits.

Deadlines count the time from a request's beginning to the attempt's end. Some libraries count
something else.
"""

from dataclasses import dataclass
from enum import StrEnum

from loadtests.policies.actions import Action, Stop, StopReason, Wait
from loadtests.policies.call import Call
from loadtests.policies.checks import check_positive
from loadtests.policies.outcome import Outcome
from loadtests.policies.policy import Course, RetryPolicy
from loadtests.policies.units import duration


class Counted(StrEnum):
    """Which time is counted."""

    WAITS = "all waits together"
    UNTIL_SENT = "the time until the last attempt was sent"


@dataclass(frozen=True, slots=True)
class CutWaits:
    """The last wait is cut to what is left of `total_s`; with nothing left the request stops."""

    of: RetryPolicy
    total_s: float
    counted: Counted

    def __post_init__(self) -> None:
        """Raises `ValueError` for a total that is not above 0."""
        check_positive("total_s", self.total_s)

    def begin(self, call: Call) -> Course:
        """A new request."""
        return _CutCourse(self, self.of.begin(call))

    def limit(self) -> str:
        """The limit alone, in words."""
        return f"{self.counted.value}: at most {duration(self.total_s)}"

    def describe(self) -> str:
        """The other's words, and the limit."""
        return f"{self.of.describe()}; {self.limit()}"


class _CutCourse:
    """One request on its way through a `CutWaits`."""

    __slots__ = ("_counted_s", "_course", "_policy", "_started_s")

    def __init__(self, policy: CutWaits, course: Course) -> None:
        self._policy = policy
        self._course = course
        self._started_s = 0.0
        self._counted_s = 0.0

    def start(self, now_s: float) -> Action:
        """The first attempt."""
        self._started_s = now_s
        return self._cut(now_s, self._course.start(now_s))

    def finished(self, now_s: float, outcome: Outcome) -> Action:
        """An attempt ended."""
        return self._cut(now_s, self._course.finished(now_s, outcome))

    def resumed(self, now_s: float) -> Action:
        """The wait is over."""
        if self._policy.counted is Counted.UNTIL_SENT:
            self._counted_s = now_s - self._started_s
        return self._cut(now_s, self._course.resumed(now_s))

    def abandoned(self, now_s: float) -> None:
        """Hand it on."""
        self._course.abandoned(now_s)

    def _cut(self, now_s: float, action: Action) -> Action:
        if not isinstance(action, Wait):
            return action
        left_s = self._policy.total_s - self._counted_s
        if left_s <= 0:
            self._course.abandoned(now_s)
            return Stop(StopReason.DEADLINE)
        wait_s = min(action.seconds, left_s)
        if self._policy.counted is Counted.WAITS:
            self._counted_s += wait_s
        return Wait(wait_s)
