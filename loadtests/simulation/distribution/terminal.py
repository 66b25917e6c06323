"""The distribution in the terminal, readable at 80 columns and when piped."""

from rich.console import Console, Group, RenderableType
from rich.text import Text

from loadtests.simulation.distribution import sentences
from loadtests.simulation.distribution.figures import COSTS, TIMES, Figure
from loadtests.simulation.distribution.summary import Distribution, LaneDistribution
from reports.rendering import words
from reports.rendering.fitting import Fitting, Row
from reports.rendering.terminal import in_colour

WIDTH = 80
_SHOWN_COSTS = tuple(figure for figure in COSTS if figure.name != "failed_share")
"""A share for each count would be a column too many."""


def render(found: Distribution, console: Console) -> None:
    """Print how many runs there are, and two tables: how they came back, and what it cost."""
    parts: list[RenderableType] = [Text(words.printable(sentences.headline(found)), "bold")]
    if any(lane.observed_s for lane in found.lanes):
        parts.append(_recovery(found))
    parts += [_cost(found), Text(sentences.MEANING, "dim")]
    parts.append(in_colour(sentences.verdict(found)))
    if unanswered := sentences.unanswered(found):
        parts.append(in_colour(unanswered))
    if against := sentences.against(found):
        parts.append(in_colour(against, "red"))
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _recovery(found: Distribution) -> Fitting:
    titles = ["recovered", *(figure.title for figure in TIMES)]
    rows: list[Row] = [
        (_name(lane), [_recovered(lane), *(_sure(figure, lane) for figure in TIMES)])
        for lane in found.lanes
    ]
    return Fitting("recovery", titles, rows, vertical="top")


def _cost(found: Distribution) -> Fitting:
    titles = [figure.title for figure in _SHOWN_COSTS]
    rows: list[Row] = [
        (_name(lane), [_paid(figure, lane) for figure in _SHOWN_COSTS]) for lane in found.lanes
    ]
    return Fitting("cost", titles, rows, vertical="top")


def _name(lane: LaneDistribution) -> Text:
    return Text(words.printable(lane.lane))


def _recovered(lane: LaneDistribution) -> Text:
    style = "bold green" if lane.recovered == lane.runs else "bold red"
    return _stacked(sentences.recovered(lane), sentences.recovered_interval(lane), style=style)


def _sure(figure: Figure, lane: LaneDistribution) -> Text:
    return _stacked(
        sentences.median(figure, lane),
        sentences.median_interval(figure, lane),
        sentences.most(figure, lane),
    )


def _paid(figure: Figure, lane: LaneDistribution) -> Text:
    return _stacked(sentences.median(figure, lane), sentences.most(figure, lane))


def _stacked(value: str, *beneath: str, style: str = "bold") -> Text:
    text = Text(value, style)
    for line in filter(None, beneath):
        text.append(f"\n{line}", "not bold dim")
    return text
