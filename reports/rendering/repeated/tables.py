"""The terminal's tables of a run in which a trigger was repeated."""

from collections.abc import Sequence

from rich.text import Text

from reports.measuring.catalogue import TIMES_TRIGGER, brief_of
from reports.measuring.distribution import Distribution
from reports.measuring.measure import Measure, Part, Unit
from reports.measuring.recovery import Episode, Figures
from reports.measuring.repeated import counted_over_run
from reports.rendering import cells, spreads, triggers, words
from reports.rendering.fitting import Cell, Fitting, Row
from reports.rendering.repeated import sentences
from reports.summary import Report

MOST_DIPS = 60
"""Lines that a terminal has for single triggers; a page has room for all."""


def distributions(report: Report) -> list[Fitting]:
    """How each lane recovered, what it cost, and what the service did, over all triggers."""
    found = [_of_part(Part.RECOVERY, report), _of_part(Part.COST, report)]
    if any(one.service.eventful for each in report.distributions for one in each.samples):
        found.append(_of_part(Part.SERVICE, report))
    return found


def over_run(report: Report) -> Fitting:
    """What is counted over the whole run, of every lane, disturbed or not."""
    counted = counted_over_run(report.policies)
    measures = [one for one in brief_of(Part.RECOVERY, Part.COST) if one in counted]
    rows: list[Row] = [
        (Text(words.name(lane), "cyan"), [_figure(one, lane) for one in measures])
        for lane in report.policies
    ]
    return Fitting("over the run", [one.brief for one in measures], rows)


def one_by_one(report: Report) -> Fitting | None:
    """Every trigger of every lane by itself; `None` where these are too many for a terminal."""
    lanes = [sentences.lane_of(found, report) for found in report.distributions]
    if sum(len(lane.episodes) for lane in lanes) > MOST_DIPS:
        return None
    measures = singly()
    rows: list[Row] = [
        (
            Text(words.name(lane) if episode.number == 1 else "", "cyan"),
            [*_which(episode), *(_of_episode(one, episode) for one in measures)],
        )
        for lane in lanes
        for episode in lane.episodes
    ]
    titles = [" ", "begin", *(cells.title(one, report, brief=True) for one in measures)]
    return Fitting(f"each {triggers.what(report)}", titles, rows, again=1)


def singly() -> list[Measure]:
    """What is told of each trigger: all are of one length, which settled need not be divided by."""
    return [one for one in brief_of(Part.RECOVERY, Part.COST) if one is not TIMES_TRIGGER]


def unsteady(report: Report) -> str:
    """What the mark behind a number means; empty where none has it."""
    early = any(
        episode.began_unsettled
        for found in report.distributions
        for episode in sentences.lane_of(found, report).episodes
    )
    return f"* {sentences.EARLY}: no sample." if early else ""


def _of_part(part: Part, report: Report) -> Fitting:
    measures = brief_of(part)
    titles = [cells.title(one, report, brief=True) for one in measures]
    if part is Part.RECOVERY:
        titles.insert(0, "recovered")
    rows: list[Row] = []
    for found in report.distributions:
        line: list[Cell] = [_spread(one, found) for one in measures]
        if part is Part.RECOVERY:
            line.insert(0, _recovered(found))
        rows.append((Text(words.printable(found.title), "cyan"), line))
    return Fitting(part.value, titles, rows, vertical="top")


def _recovered(found: Distribution) -> Cell:
    many = f"{found.recovered} of {len(found.samples)}"
    return Text(many, "bold red" if found.lost else "bold green")


def _spread(measure: Measure, found: Distribution) -> Cell:
    lost = spreads.is_lost(measure, found)
    text = Text(_bare(measure, spreads.median(measure, found)), "bold red" if lost else "bold")
    for line in filter(None, [spreads.interval(measure, found), spreads.spread(measure, found)]):
        text.append(f"\n{_bare(measure, line)}", "not bold dim")
    return text


def _bare(measure: Measure, told: str) -> str:
    """A rate without what it is per: its column says it."""
    return told.replace("/s", "") if measure.unit is Unit.RATE else told


def _which(episode: Episode) -> Sequence[Cell]:
    trigger = episode.figures.trigger
    begin = words.seconds(trigger.start_s) if trigger else words.NOT_MEASURED
    return (f"{episode.number}{'*' if episode.began_unsettled else ' '}", begin)


def _of_episode(measure: Measure, episode: Episode) -> Cell:
    lost = cells.is_lost(measure, episode.figures)
    return Text(_figure(measure, episode.figures), "bold red" if lost else "")


def _figure(measure: Measure, figures: Figures) -> str:
    """In few letters: ``> 28 s`` for what did not come about."""
    return _bare(measure, cells.written(measure, measure.of(figures)))
