"""A comparison in sentences. A name stands between backticks."""

from collections.abc import Iterator, Sequence

from reports.judging.differences.comparison import Comparison, LaneRows
from reports.judging.differences.row import Row, Verdict
from reports.judging.differences.sides import Side, keys
from reports.judging.differences.verdicts import LEVEL
from reports.statistics.power import POWER
from reports.text import names_of

SHOWN = 10
"""So many runs that were left out are told one by one."""


def outcome(found: Comparison) -> str:
    """What it all comes to: ``NEW is worse: settled of `immediate`.``"""
    told = [_said(found, one) for one in (Verdict.WORSE, Verdict.BETTER, Verdict.BOTH)]
    if any(told):
        return " ".join(filter(None, told))
    if found.too_few and len(found.too_few) == len(_tested(found)):
        return nothing(found, found.too_few)
    if not found.tested:
        return "NEW and BASE are the same in all that was measured."
    many = _against(found, found.lanes)
    return f"NEW is neither better nor worse than BASE, as far as {many} can show."


def _said(found: Comparison, verdict: Verdict) -> str:
    """One way, the measures with the lanes where it is so."""
    lanes: dict[str, list[str]] = {}
    for lane, row in found.rows(verdict):
        lanes.setdefault(row.measure.title, []).append(lane.lane)
    said = "; ".join(f"{title} of {names_of(each)}" for title, each in lanes.items())
    how = "differs" if verdict is Verdict.BOTH else "is"
    return f"NEW {how} {verdict.value}: {said}." if said else ""


def nothing(found: Comparison, lanes: Sequence[LaneRows]) -> str:
    """That so few samples show nothing, whatever they are, and how many could."""
    return (
        f"With {_against(found, lanes)} nothing can be shown, whatever was measured: it takes at "
        f"least {found.fewest} each."
    )


def warnings(found: Comparison) -> Iterator[str]:
    """What one has to know before the figures: what is compared with what."""
    if found.differing:
        yield f"BASE and NEW were not made alike: they differ in {keys(found.differing)}."
    for only, side in ((found.only_base, "BASE"), (found.only_new, "NEW")):
        if only:
            yield f"Only in {side}, and not compared: {names_of(only)}."
    yield from (_policies(lane) for lane in found.lanes if lane.policy_differs)
    few = found.too_few
    if few and len(few) < len(_tested(found)):
        yield f"{names_of([lane.lane for lane in few])}: {nothing(found, few)}"
    yield from found.notes


def remarks(found: Comparison) -> Iterator[str]:
    """What had not come about, and in how many; and what could not be measured."""
    for lane in found.lanes:
        for row in lane.rows:
            for said in filter(None, (_both(row), _late(row) or _missing(row))):
                yield f"{names_of([lane.lane])}, {row.measure.title}: {said}."


def _policies(lane: LaneRows) -> str:
    """Which policy the lane has on either side."""
    base, new = (
        f"{one.policy}{f' ({one.describe})' if one.describe else ''}"
        for one in (lane.base, lane.new)
    )
    return f"{names_of([lane.lane])} is {base} in BASE, and {new} in NEW."


def _late(row: Row) -> str:
    """``not recovered in 3 of 10 of BASE and in 9 of 10 of NEW``; empty where all came about."""
    base, new = row.base, row.new
    if row.difference is None or not (base.late or new.late):
        return ""
    return (
        f"{row.measure.lack} in {base.late} of {base.measured} of BASE and in "
        f"{new.late} of {new.measured} of NEW"
    )


def _both(row: Row) -> str:
    """Why it is neither better nor worse, though it differs by more than chance."""
    if row.verdict is not Verdict.BOTH or row.difference is None:
        return ""
    low, high = ("NEW", "BASE") if row.difference.superiority > 0.5 else ("BASE", "NEW")
    return (
        f"{low} tends to be lower, sample by sample, and the median of {high} is lower all the "
        f"same: that is neither better nor worse"
    )


def _missing(row: Row) -> str:
    base, new = row.base.missing, row.new.missing
    return f"cannot be measured in {base} of BASE and {new} of NEW" if base or new else ""


def runs(side: Side) -> str:
    """``BASE: 10 runs in before/, 1 of 11 left out``."""
    many = f"{len(side.runs)} {'run' if len(side.runs) == 1 else 'runs'}"
    every = len(side.runs) + len(side.left_out)
    out = f", {len(side.left_out)} of {every} left out" if side.left_out else ""
    return f"{side.title}: {side.name}, {many}{out}"


def left_out(side: Side) -> Iterator[str]:
    """Each run that does not count, with why; of many the first."""
    for one in side.left_out[:SHOWN]:
        yield f"`{one.run}`: {one.because}"
    if len(side.left_out) > SHOWN:
        yield f"and {len(side.left_out) - SHOWN} more"


def method(found: Comparison) -> str:
    """How it was judged; empty where nothing was."""
    if not found.tested:
        return ""
    rows = "this row" if found.tested == 1 else f"all {found.tested} rows together"
    least = " or ".join(found.least.texts)
    small = f"Medians that differ by less than {least} are too close to matter. " if least else ""
    return (
        f"Medians, and of their difference the 95% interval, for itself. p is how often chance "
        f"alone makes so large a difference (permutation test), corrected by Holm for {rows}: "
        f"of comparisons without any, at most {LEVEL:.0%} call a row better or worse. {small}"
        f"Not shown: no difference that so many {_noun(found)} can show; would tell: with so many "
        f"on each side one as large as that seen is shown in about {POWER:.0%} of cases, and "
        f"how many more that are."
    )


def _tested(found: Comparison) -> list[LaneRows]:
    return [lane for lane in found.lanes if any(row.p_value is not None for row in lane.rows)]


def _against(found: Comparison, lanes: Sequence[LaneRows]) -> str:
    """``10 against 12 runs``; the fewest of any of the lanes."""
    base = min(len(lane.base.samples) for lane in lanes)
    new = min(len(lane.new.samples) for lane in lanes)
    return f"{base} against {new} {_noun(found)}"


def _noun(found: Comparison) -> str:
    return "samples" if found.base.each_dip else "runs"
