"""One row of a comparison in its cells, as the terminal and Markdown both have them."""

import math
from collections.abc import Sequence

from reports.judging.differences.row import Row, Verdict
from reports.measuring.measure import Measure, Unit
from reports.rendering import words
from reports.rendering.cells import span, written
from reports.statistics.value import Value

MINUS = "−"
MANY = 1_000
VERDICTS = {
    Verdict.BETTER: "better",
    Verdict.WORSE: "worse",
    Verdict.BOTH: "both ways",
    Verdict.NOT_SHOWN: "not shown",
    Verdict.SMALL: "too small to matter",
    Verdict.SAME: "the same in all",
    Verdict.NOT_MEASURED: "not measured",
}


def medians(row: Row) -> tuple[str, str]:
    """Of BASE and of NEW: ``4.9 s``, ``> 30 s``."""
    found = row.difference
    if found is None:
        return words.NOT_MEASURED, words.NOT_MEASURED
    return written(row.measure, found.base.median), written(row.measure, found.new.median)


def shift(row: Row) -> str:
    """``+5.2 s``, ``−0.4 points``: by what the median of NEW is above that of BASE."""
    found = row.difference
    if found is None or found.shift is None:
        return words.NOT_MEASURED
    [told] = _told(row.measure, found.shift, among=found.interval or ())
    return told + _points(row.measure)


def interval(row: Row) -> str:
    """``+3.1 to +7.0 s``: between what that lies; empty where it cannot be said, or is no news."""
    found = row.difference
    if found is None or found.interval is None or row.verdict is Verdict.SAME:
        return ""
    low, high = _told(row.measure, *found.interval, among=found.interval)
    if not low or not high:
        return f"{low} or more" if low else f"{high} or less" if high else ""
    return span(low, high, " to ")


def _told(measure: Measure, *values: Value | None, among: Sequence[Value | None]) -> list[str]:
    """A share to as many digits as the largest of all `among` has: none seems beyond an end."""
    if measure.unit is not Unit.SHARE:
        return [_signed(measure, one.amount) if one else "" for one in values]
    known = [abs(one.amount) for one in among or values if one is not None]
    largest = max(known, default=0.0) * 100
    digits = 1 if largest >= 1 else min(6, 1 - math.floor(math.log10(largest or 1e-6)))
    return ["" if one is None else _with_sign(one.amount * 100, digits) for one in values]


def _with_sign(value: float, digits: int) -> str:
    told = f"{value:+.{digits}f}"
    return told.replace("-", MINUS) if float(told) else "0"


def p_value(row: Row) -> str:
    """``0.0022``, ``0.71``; empty where nothing was tested."""
    p = row.p_value
    if p is None:
        return ""
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def verdict(row: Row) -> str:
    """``worse``, ``not shown``."""
    return VERDICTS[row.verdict]


def needed(row: Row) -> str:
    """``24 each``: the samples on each side that would probably show it; empty without any."""
    if row.needed is None:
        return words.NOT_MEASURED if row.verdict is Verdict.NOT_SHOWN else ""
    return f"over {MANY:,}" if row.needed > MANY else f"{row.needed:,} each"


def more(row: Row) -> str:
    """``+14``, ``+14, +12``: how many of these there are not yet on each side."""
    if row.more is None or (row.needed or 0) > MANY:
        return ""
    base, new = row.more
    return f"+{base:,}" if base == new else f"+{base:,}, +{new:,}"


def _signed(measure: Measure, amount: float) -> str:
    told, zero = (written(measure, Value(one)) for one in (abs(amount), 0.0))
    sign = "" if told == zero else MINUS if amount < 0 else "+"
    return f"{sign}{told}".removesuffix("%")


def _points(measure: Measure) -> str:
    """A difference of two shares is no share."""
    return " points" if measure.unit is Unit.SHARE else ""
