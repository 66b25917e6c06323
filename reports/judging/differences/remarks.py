"""What may mislead in a comparison, whatever its figures are."""

from collections.abc import Iterator, Sequence
from statistics import median

from reports.judging.differences.sides import LaneOfSide, Side
from reports.text import names_of

MUCH = 0.05
"""Times that differ by less are alike: runs do not end on the tick."""
Pair = tuple[LaneOfSide, LaneOfSide]


def remarks(base: Side, new: Side, pairs: Sequence[Pair]) -> Iterator[str]:
    """Sentences about samples that there are not, or that are not of one kind."""
    if both := len(base.origins & new.origins):
        yield (
            f"{both} of the runs {'is' if both == 1 else 'are'} in both BASE and NEW, as copies: "
            f"nothing differs from itself."
        )
    yield from _unsettled("BASE", [one for one, _ in pairs])
    yield from _unsettled("NEW", [other for _, other in pairs])
    if any(one.several or other.several for one, other in pairs):
        yield _several(base, new)
    apart = [one.lane for one, other in pairs if _are_apart(one, other)]
    if apart:
        yield (
            f"BASE and NEW watched {names_of(apart)} for different times: what is counted over "
            f"the run, or is a share of it, differs by that alone, and p is not exact where a "
            f"lane did not recover."
        )


def _several(base: Side, new: Side) -> str:
    if base.each_dip:
        return (
            f"Every dip, or other disturbance, is a sample, of {len(base.runs)} against "
            f"{len(new.runs)} runs: what sets whole runs apart counts as a difference of theirs."
        )
    return (
        "A run that had several dips, or other disturbances, counts once, by their median: they "
        "share all that sets it apart from other runs. With --each-dip every one counts."
    )


def _unsettled(side: str, lanes: Sequence[LaneOfSide]) -> Iterator[str]:
    found = [lane for lane in lanes if lane.unsettled]
    if found:
        count = sum(lane.unsettled for lane in found)
        many = "1 disturbance" if count == 1 else f"{count} disturbances"
        yield (
            f"{side}: {many} of {names_of([lane.lane for lane in found])} began before the lane "
            f"was over the one before, and {'does' if count == 1 else 'do'} not count."
        )


def _are_apart(base: LaneOfSide, new: LaneOfSide) -> bool:
    """Whether a sample is a whole run here and a part of one there, or was watched for longer."""
    one, other = _watched_s(base), _watched_s(new)
    if one is None or other is None:
        return False
    return base.several is not new.several or abs(other - one) > MUCH * one


def _watched_s(lane: LaneOfSide) -> float | None:
    """From a trigger's begin on, as a rule; `None` where there was none."""
    spans = [
        one.trigger.length_s + one.after.observed_s
        for sample in lane.samples
        for one in sample
        if one.trigger and one.after
    ]
    return median(spans) if spans else None
