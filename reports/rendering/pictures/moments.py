"""What is marked in the picture of a lane: bands, lines, and the labels above them.

Times are those of the picture's axis: seconds after the trigger, or of the run where a trigger was
repeated.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reports.measuring.catalogue import SETTLED
from reports.measuring.recovery import Figures, Recovery
from reports.rendering import cells, words
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

    shift_s: float
    since: str
    bands: tuple[Band, ...]
    moments: tuple[Moment, ...]


def marked(policy: Recovery, report: Report) -> Marked:
    """The bands and moments of a lane."""
    repeated = bool(report.distributions)
    shift_s = policy.trigger.end_s if repeated and policy.trigger else 0.0
    if policy.trigger is None or repeated:
        since = "seconds from the run’s begin"
    else:
        since = f"seconds after the end of the {noun(policy.trigger.type)}"
    moments = _of_each(policy) if repeated else _of_last(policy)
    return Marked(
        shift_s=shift_s,
        since=since,
        bands=tuple(_bands(policy, shift_s)),
        moments=(*moments, *_disturbances(policy, shift_s, repeated=repeated)),
    )


def _bands(policy: Recovery, shift_s: float) -> Iterator[Band]:
    for fault in policy.drawn.faults:
        yield Band("fault", fault.start_s + shift_s, fault.end_s + shift_s)
    for wave in policy.after.relapses if policy.after else ():
        yield Band("relapse", wave.start_s + shift_s, wave.end_s + shift_s)


def _of_last(policy: Recovery) -> Iterator[Moment]:
    """First fit and settled, in seconds after the trigger."""
    after = policy.after
    if after is None:
        return
    word = words.settled(policy)
    if after.settled_s is not None:
        word = f"settled {word}{', goodput not back' if after.starved else ''}"
    at_s = after.observed_s if after.settled_s is None else after.settled_s
    color = MARKS["lost" if after.lost else "settled"]
    yield Moment(word, at_s, color, "solid", bold=True)
    if after.first_fit_s is not None:
        text = f"first fit {words.first_fit(policy)}"
        yield Moment(text, after.first_fit_s, MARKS["fit"], "dotted")
    for wave in after.relapses[:1]:
        yield Moment("relapse", wave.start_s, MARKS["relapse"])


def _of_each(policy: Recovery) -> Iterator[Moment]:
    """When the lane had settled after each trigger, in seconds of the run."""
    for episode in policy.episodes:
        found, trigger = episode.figures, episode.figures.trigger
        if trigger is None or found.after is None:
            continue
        lost = found.after.lost
        late_s = found.after.observed_s if not found.after.recovered else found.after.settled_s
        color = MARKS["lost" if lost else "settled"]
        at_s = trigger.end_s + (late_s or 0.0)
        yield Moment(_settled(found), at_s, color, "solid", bold=True, needed=False)


def _settled(found: Figures) -> str:
    """``5.6 s``, or ``> 28 s``."""
    return cells.written(SETTLED, SETTLED.of(found))


def _disturbances(policy: Recovery, shift_s: float, *, repeated: bool) -> Iterator[Moment]:
    """A label for each, from where it begins; of many, for as many as there is room for."""
    faults = policy.drawn.faults
    for place, fault in enumerate(faults):
        needed = place < 3 and not repeated
        yield Moment(noun(fault.type), fault.start_s + shift_s, GREY, needed=needed)
