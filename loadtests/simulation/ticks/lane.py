"""What is played in a lane, whoever keeps its requests: the course, the laws, the tally."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from loadtests.simulation.stage import TICK_S
from loadtests.simulation.ticks.draws import some_of
from loadtests.simulation.ticks.plan import Plan
from loadtests.simulation.ticks.tally import Tally
from loadtests.simulation.ticks.waits import Chances, Law
from loadtests.simulation.whole_ticks import ANSWER_S
from reports.reading.series import Counts

Mask = npt.NDArray[np.bool_]

_AT_ONCE = Law(0.0, np.ones(1))


@dataclass(frozen=True, slots=True)
class LawsOf:
    """The laws of several groups: the chance to be stopped, and a row of chances of the waits."""

    stops: Chances
    waits: Chances


class LaneInTicks:
    """One lane while it is played."""

    def __init__(
        self, plan: Plan, issued: Sequence[int], rng: np.random.Generator, *, by_chance: bool
    ) -> None:
        """`issued` has the number of new requests of each tick."""
        self.course = course = plan.course
        self.counted = np.array([False, *course.counted])
        self.rng = rng
        self.tally = Tally(course.attempts, issued)
        self.now_s = self.heard_s = 0.0
        self._by_chance = by_chance
        self._laws = plan.laws
        self.has_deadline = plan.laws is not None and plan.laws.deadline is not None
        # A deadline only shortens waits: without one they are the longest.
        self._last = course.attempts if course.reason is not None else course.attempts + 1
        by_attempt = [self._law(attempt, 0) for attempt in range(1, self._last)]
        self._usual = _as_rows([_AT_ONCE, *by_attempt, _AT_ONCE])
        self.longest_wait = self._usual.waits.shape[1]
        oldest = sum(law.waits.size for law in by_attempt)
        self.oldest = len(issued) if course.reason is None else min(len(issued), oldest)
        self.is_late = np.array([self._is_late(age) for age in range(self.oldest + 1)])

    def begin(self, tick: int) -> None:
        """A tick begins."""
        self.now_s = round(tick * TICK_S, 9)
        self.heard_s = self.now_s + ANSWER_S

    def refuse_groups(self, sent: Counts, fits: int) -> Counts:
        """How many of each group do not fit."""
        total = int(sent.sum())
        if total <= fits:
            return np.zeros_like(sent)
        if self._by_chance:
            return self.rng.binomial(sent, (total - fits) / total)
        return some_of(self.rng, sent, total - fits)

    def refuse_each(self, sent: int, fits: int) -> Counts:
        """The places of those that do not fit, in random order."""
        if sent <= fits:
            return np.zeros(0, np.int64)
        if self._by_chance:
            places = np.flatnonzero(self.rng.random(sent) < (sent - fits) / sent)
            return self.rng.permutation(places)
        return self.rng.permutation(sent)[fits:]

    def law(self, attempt: int, age: int) -> Law:
        """What follows the refusal of this attempt of a request `age` ticks old."""
        return self._law(attempt, age if self.has_deadline else 0)

    def laws_of(self, attempts: Counts, ages: Counts) -> LawsOf:
        """The same for groups; that of a last attempt is not asked for and says nothing."""
        if not self.has_deadline:
            return LawsOf(self._usual.stops[attempts], self._usual.waits[attempts])
        last, pairs = self._last, zip(attempts.tolist(), ages.tolist(), strict=True)
        return _as_rows([_AT_ONCE if at >= last else self._law(at, age) for at, age in pairs])

    def is_last(self, attempts: Counts) -> Mask:
        """Of which attempts none follows."""
        return attempts >= self._last

    def following(self, attempts: Counts) -> Counts:
        """The numbers of the attempts after these, as far as they are told apart."""
        return np.minimum(attempts + 1, self.course.attempts)

    def _law(self, attempt: int, age: int) -> Law:
        assert self._laws is not None  # noqa: S101 - a policy of one attempt has no waits
        return self._laws.after(attempt, age)

    def _is_late(self, age: int) -> bool:
        """Whether no attempt is begun any more."""
        deadline = self._laws.deadline if self._laws is not None else None
        if deadline is None:
            return False
        left_s = deadline.attempt_s(round(age * TICK_S, 9) + ANSWER_S)
        return left_s is not None and left_s <= 0


def _as_rows(laws: Sequence[Law]) -> LawsOf:
    waits: npt.NDArray[np.float64] = np.zeros((len(laws), max(law.waits.size for law in laws)))
    for row, law in zip(waits, laws, strict=True):
        row[: law.waits.size] = law.waits
    return LawsOf(np.array([law.stops for law in laws]), waits)
