"""One measure of one lane on both sides, and what can be said of the difference."""

from dataclasses import dataclass
from enum import Enum

from reports.measuring.measure import Measure
from reports.statistics.difference import Difference


class Verdict(Enum):
    """What one row comes to."""

    BETTER = "better"
    WORSE = "worse"
    BOTH = "both ways"
    NOT_SHOWN = "not shown"
    SMALL = "too small"
    SAME = "the same"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Taken:
    """Of how many triggers it was `measured`, how many lack it, and in how many it was `late`."""

    measured: int
    missing: int
    late: int


@dataclass(frozen=True)
class Row:
    """One measure of one lane.

    `difference` is `None` where a trigger lacks the measure. `base` and `new` count
    triggers, and so more than samples where runs repeated them.
    It goes `BOTH` ways where more samples of the one side are lower, and the median of the other.
    `p_value` is adjusted for how many rows were tested, and `None` where this one was not. Where
    no difference was shown, `needed` are the samples a side that probably would show one as large
    as the one that was seen, or `None` where none was.
    """

    measure: Measure
    difference: Difference | None
    verdict: Verdict
    base: Taken
    new: Taken
    p_value: float | None = None
    needed: int | None = None

    @property
    def more(self) -> tuple[int, int] | None:
        """How many of these BASE and NEW do not have yet."""
        if self.needed is None or self.difference is None:
            return None
        base, new = self.difference.base.n, self.difference.new.n
        return max(0, self.needed - base), max(0, self.needed - new)
