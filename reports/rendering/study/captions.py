"""Captions of the pictures of a study, each of which can stand alone."""

from collections.abc import Iterator

from reports.measuring.catalogue import brief_of
from reports.measuring.measure import Part, Unit
from reports.rendering import spreads, words
from reports.rendering.captions import MOST_WORDS, disturbed_by, quoted
from reports.rendering.study import headlines, sentences
from reports.rendering.study.tables import settled_lines
from reports.several.study import Condition, StudiedLane, Study
from reports.text import clipped

LOAD = (
    "Offered load against capacity around the disturbance, in the first run of each, all to one "
    "scale; a line marks when that run had settled."
)
CURVES = (
    "The share that had settled, by the time after the disturbance (Kaplan and Meier); the other "
    "lanes in grey. A line that never reaches the top is of a lane that did not always recover."
)
_ABOVE = "Above each chart stands the median of settled over all its runs, in brackets its 95%"
_ABOVE_EACH = f"{_ABOVE} interval, and in how many it did not recover."


def of_sheet(what: str, study: Study) -> str:
    """The caption of a sheet of all lanes, which shows `what`."""
    return " ".join((what, _ABOVE_EACH, quoted(headlines.headline(study)), *_made(study)))


def of_lane(place: int, study: Study) -> str:
    """The caption of the picture of one lane, the one in this place."""
    lanes = [(one, one.lanes[place]) for one in study.conditions if one.lanes[place].present]
    _, first = lanes[0]
    how = f" ({clipped(first.describe, MOST_WORDS)})" if first.describe else ""
    said = f"{words.printable(first.title)}{how}, {disturbed(place, study)}."
    figures = (_told(one, lane, brief=len(study.conditions) > 1) for one, lane in lanes)
    return " ".join((said, *figures, *_made(study)))


def against(study: Study) -> str:
    """That no run is valid, and under which conditions; empty where some is under each."""
    said = sentences.without_runs(study)
    return f"NOT VALID: {quoted(said)}" if said else ""


def settled(lane: StudiedLane) -> str:
    """``settled 4.9 s [4.4–5.6 s], not recovered in 3 of 10``."""
    if lane.distribution is None or not lane.disturbed:
        return sentences.absent(lane) if lane.distribution is None else "not disturbed"
    median, interval, lost = settled_lines(lane)
    told = " ".join(filter(None, ["settled", median, interval]))
    return ", ".join(filter(None, [told, lost]))


def disturbed(place: int, study: Study) -> str:
    """``after a 2.0 s dip to 20/s``: what disturbed the lane in this place, over all runs."""
    lanes = [one.lanes[place] for one in study.conditions]
    samples = [one for lane in lanes if lane.distribution for one in lane.distribution.samples]
    kinds = {disturbed_by(one) for one in samples}
    if len(kinds) == 1:
        return f"after {kinds.pop()}"
    return "after disturbances that differ" if kinds else "in no run that counts"


def _told(condition: Condition, lane: StudiedLane, *, brief: bool) -> str:
    """What the runs under a condition say of it; of several conditions only when it settled."""
    found = lane.distribution
    if found is None or brief:
        under = sentences.capitalized(sentences.under(condition))
        return f"{quoted(under)}: {settled(lane)}." if condition.label else f"{settled(lane)}."
    measures = [one for one in brief_of(Part.RECOVERY, Part.COST) if one.unit is not Unit.MULTIPLE]
    told = (
        f"{one.title} {spreads.median(one, found)} {spreads.interval(one, found)}".rstrip()
        for one in measures
        if one.name in found.summaries
    )
    recovered = f"recovered {sentences.recovered(lane)}, " if lane.disturbed else ""
    return (
        f"Over {sentences.noun(found.runs)}, median and its 95% interval: "
        f"{recovered}{', '.join(told)}."
    )


def _made(study: Study) -> Iterator[str]:
    yield f"{headlines.made(study)}."
    yield against(study) or quoted(sentences.left_out(study)) or "All runs are valid."
    if made_by := versions(study):
        yield f"Aftershock {made_by}."


def versions(study: Study) -> str:
    """Of what the runs were made by."""
    found = {one.run.versions.get("aftershock", "") for one in study.runs} - {""}
    return " and ".join(sorted(found))
