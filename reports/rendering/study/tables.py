"""The tables of a study for the terminal: a median, beneath it how sure and how spread it is."""

from collections.abc import Sequence

from rich.text import Text

from reports.measuring.catalogue import SETTLED, brief_of
from reports.measuring.distribution import Distribution
from reports.measuring.measure import Measure, Part, Unit
from reports.rendering import spreads, words
from reports.rendering.fitting import Cell, Fitting, Row
from reports.rendering.study import sentences
from reports.several.study import Condition, StudiedLane, Study


def recovery(condition: Condition) -> Fitting:
    """How often each lane recovered, when, and what its load was."""
    measures = _briefly(Part.RECOVERY)
    rows: list[Row] = [
        (_name(lane), [_recovered(lane), *_cells(measures, lane)]) for lane in condition.own
    ]
    titles = ["recovered", *(one.brief for one in measures)]
    return Fitting("recovery", titles, rows, vertical="top")


def cost(condition: Condition) -> Fitting:
    """What it cost the users."""
    return _of_part(Part.COST, condition)


def service(condition: Condition) -> Fitting | None:
    """What the service did besides answering; `None` where it did nothing else."""
    return _of_part(Part.SERVICE, condition) if condition.eventful else None


def settled(study: Study) -> Fitting | None:
    """When each lane settled under each condition; `None` where no lane is under two of them."""
    if not study.shared:
        return None
    titles = [words.printable(one.label).replace(", ", ",\n") for one in study.conditions]
    rows: list[Row] = []
    for place in study.shared:
        lanes = [one.lanes[place] for one in study.conditions]
        name = Text(words.printable(study.titles[place]), "cyan")
        rows.append((name, [settled_cell(lane) for lane in lanes]))
    return Fitting("settled, median", titles, rows, vertical="top")


def settled_cell(lane: StudiedLane) -> Cell:
    """Its median, how sure that is, and in how many samples it did not recover."""
    lines = settled_lines(lane)
    found = lane.distribution
    lost = found is not None and spreads.is_lost(SETTLED, found)
    return _stacked(*lines, style="bold red" if lost else "bold")


def settled_lines(lane: StudiedLane) -> list[str]:
    """Beneath each other: ``4.9 s``, ``[4.4–5.6 s]``, ``7 of 10``."""
    found = lane.distribution
    if found is None:
        return [sentences.absent(lane)]
    lost = spreads.not_recovered(found) if lane.disturbed else ""
    return [spreads.median(SETTLED, found), spreads.interval(SETTLED, found), lost]


def _of_part(part: Part, condition: Condition) -> Fitting:
    measures = _briefly(part)
    rows: list[Row] = [(_name(lane), _cells(measures, lane)) for lane in condition.own]
    return Fitting(part.value, [one.brief for one in measures], rows, vertical="top")


def _briefly(part: Part) -> Sequence[Measure]:
    """A multiple says again what its seconds say."""
    return [one for one in brief_of(part) if one.unit is not Unit.MULTIPLE]


def _name(lane: StudiedLane) -> Text:
    name = Text(words.printable(lane.title), "cyan")
    if lane.distribution is None:
        name.append(f"\n{sentences.absent(lane)}", "not bold dim")
    return name


def _recovered(lane: StudiedLane) -> Cell:
    lost = lane.distribution is not None and lane.distribution.lost
    style = "bold red" if lost else "bold green"
    return _stacked(*sentences.recovered_lines(lane), style=style)


def _cells(measures: Sequence[Measure], lane: StudiedLane) -> list[Cell]:
    return [_cell(measure, lane.distribution) for measure in measures]


def _cell(measure: Measure, found: Distribution | None) -> Cell:
    if found is None:
        return words.NOT_MEASURED
    return _stacked(
        spreads.median(measure, found),
        spreads.interval(measure, found),
        spreads.spread(measure, found),
        style="bold red" if spreads.is_lost(measure, found) else "bold",
    )


def _stacked(value: str, *beneath: str, style: str = "bold") -> Text:
    text = Text(value, style)
    for line in filter(None, beneath):
        text.append(f"\n{line}", "not bold dim")
    return text
