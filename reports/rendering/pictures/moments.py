"""What is marked in the picture of a lane: bands, lines, and the labels above them.

Times are those of the picture's axis: seconds after the trigger, or of the run where a trigger was
repeated.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reports.measuring.catalogue import SETTLED
from reports.measuring.recovery import Recovery
from reports.measuring.repeated import relapses
from reports.rendering import cells, outcomes
from reports.rendering.marks import end_color, settled_label
from reports.rendering.palette import MARKS
from reports.summary import Report
from reports.text import noun

GREY = "#59626e"


@dataclass(frozen=True)
class Band:
    """An interval that is shaded from the bottom of the chart to its labels."""

    kind: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Moment:
    """What is written above a moment; a `line` says how it is marked in the chart, if at all."""

    text: str
    at_s: float
    color: str
    line: str = ""
    bold: bool = False
    needed: bool = True


@dataclass(frozen=True)
class Marked:
    """All that is marked of a lane, the most important moment first."""

    since: str
    bands: tuple[Band, ...]
    moments: tuple[Moment, ...]


def marked(policy: Recovery, report: Report) -> Marked:
    """The bands and moments of a lane that is drawn in such seconds."""
    repeated = bool(report.distributions)
    if policy.trigger is None or repeated:
        since = "seconds from the run’s begin"
    else:
        since = f"seconds after the end of the {noun(policy.trigger.type)}"
    moments = _of_each(policy) if repeated else _of_last(policy)
    return Marked(
        since=since,
        bands=tuple(_bands(policy, repeated=repeated)),
        moments=(*moments, *_disturbances(policy, repeated=repeated)),
    )


def _bands(policy: Recovery, *, repeated: bool) -> Iterator[Band]:
    for fault in policy.drawn.faults:
        yield Band("fault", fault.start_s, fault.end_s)
    waves = policy.after.relapses if policy.after else ()
    for wave in relapses(policy) if repeated else waves:
        yield Band("relapse", wave.start_s, wave.end_s)


def _of_last(policy: Recovery) -> Iterator[Moment]:
    """First fit and settled, in seconds after the trigger."""
    after = policy.after
    if after is None:
        return
    label = settled_label(policy)
    yield Moment(label, after.marked_s, end_color(after), "solid", bold=True)
    if after.first_fit_s is not None:
        text = f"first fit {outcomes.first_fit(policy)}"
        yield Moment(text, after.first_fit_s, MARKS["fit"], "dotted")
    for wave in after.relapses[:1]:
        yield Moment("relapse", wave.start_s, MARKS["relapse"])


def _of_each(policy: Recovery) -> Iterator[Moment]:
    """When the lane had settled after each trigger, in seconds of the run."""
    for episode in policy.episodes:
        found, trigger, after = episode.figures, episode.figures.trigger, episode.figures.after
        if trigger is None or after is None or after.too_soon:
            continue
        text, at_s = cells.written(SETTLED, SETTLED.of(found)), trigger.end_s + after.marked_s
        yield Moment(text, at_s, end_color(after), "solid", bold=True, needed=False)


def _disturbances(policy: Recovery, *, repeated: bool) -> Iterator[Moment]:
    """A label for each, from where it begins; of many, for as many as there is room for."""
    faults = policy.drawn.faults
    for place, fault in enumerate(faults):
        needed = place < 3 and not repeated
        yield Moment(noun(fault.type), fault.start_s, GREY, needed=needed)
