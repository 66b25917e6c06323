"""What each row comes to, when all of them together may raise a false alarm in 5% of cases only."""

from collections.abc import Sequence
from dataclasses import replace

from reports.judging.differences.least import Least
from reports.judging.differences.row import Row, Taken, Verdict
from reports.measuring.measure import Better, Measure
from reports.measuring.recovery import Figures
from reports.statistics.difference import Difference, compare, holm
from reports.statistics.permutation import least_p
from reports.statistics.power import samples_needed
from reports.statistics.survival import median
from reports.statistics.value import Value

Samples = Sequence[Sequence[Figures]]
LEVEL = 0.05
"""The chance that any row at all is called better or worse when none is, at most."""


def measured(measure: Measure, base: Samples, new: Samples) -> Row:
    """The row before it is judged with the others. What a trigger lacks cannot be compared."""
    before, after = _values(measure, base), _values(measure, new)
    taken = _taken(before), _taken(after)
    if not base or not new or any(one.missing for one in taken):
        return Row(measure, None, Verdict.NOT_MEASURED, *taken)
    found = compare(_each(before), _each(after))
    return Row(measure, found, Verdict.SAME if _is_same(found) else Verdict.NOT_SHOWN, *taken)


def judged(rows: Sequence[Row], least: Least) -> list[Row]:
    """The rows with their verdicts. Medians that differ by less than `least` make no difference.

    By Holm's step-down. Where all samples of both sides are the same there is nothing to test: no
    way to divide them would show a difference, so that such a row takes no part.
    """
    tested = [row for row in rows if row.verdict is Verdict.NOT_SHOWN]
    adjusted = iter(holm([row.difference.p_value for row in tested if row.difference]))
    told = [
        replace(row, p_value=next(adjusted)) if row.verdict is Verdict.NOT_SHOWN else row
        for row in rows
    ]
    open_ = sum(row.p_value is not None and row.p_value > LEVEL for row in told)
    return [_verdict(row, least, LEVEL / max(1, open_)) for row in told]


def fewest_samples(tested: int) -> int:
    """The samples on each side without which none of so many rows could be shown."""
    each = 1
    while least_p(each, each) > LEVEL / max(1, tested):
        each += 1
    return each


def _verdict(row: Row, least: Least, level: float) -> Row:
    """`level` is what a row that was not shown would have to reach."""
    found = row.difference
    if found is None or row.p_value is None:
        return row
    base, new = found.base.median, found.new.median
    if least.exceeds(row.measure, found):
        return replace(row, verdict=Verdict.SMALL)
    if row.p_value > LEVEL:
        return replace(row, needed=_needed(found, level))
    less = found.superiority > 0.5
    if _is_less(*((new, base) if less else (base, new))):
        return replace(row, verdict=Verdict.BOTH)
    better = less is (row.measure.better is Better.LESS)
    return replace(row, verdict=Verdict.BETTER if better else Verdict.WORSE)


def _is_less(other: Value, than: Value) -> bool:
    """Whether it surely is: what had not come about by then came later, or never."""
    return not than.late and than.amount < other.amount


def _needed(found: Difference, level: float) -> int | None:
    """More than there are, whatever the formula says: with these it was not shown.

    One sample against others is before all or after all of them by chance: there is no telling.
    """
    if min(found.base.n, found.new.n) < 2:
        return None
    needed = samples_needed(found.superiority, level)
    return None if needed is None else max(needed, 1 + min(found.base.n, found.new.n))


def _values(measure: Measure, samples: Samples) -> list[list[Value | None]]:
    return [[measure.of(one) for one in sample] for sample in samples]


def _taken(samples: list[list[Value | None]]) -> Taken:
    every = [value for sample in samples for value in sample]
    there = [value for value in every if value is not None]
    return Taken(len(there), len(every) - len(there), sum(value.late for value in there))


def _each(samples: list[list[Value | None]]) -> list[Value]:
    """One value of each sample: of a run that repeated its trigger, the median."""
    return [median([value for value in sample if value is not None]) for sample in samples]


def _is_same(found: Difference) -> bool:
    base, new = found.base, found.new
    return base.alike and new.alike and base.median == new.median
