"""The distribution in the terminal, readable at 80 columns and when piped."""

from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from loadtests.simulation.distribution import sentences
from loadtests.simulation.distribution.figures import COSTS, TIMES, Figure
from loadtests.simulation.distribution.summary import Distribution, LaneDistribution
from reports import words
from reports.terminal import in_colour

WIDTH = 80
_SHOWN_COSTS = tuple(figure for figure in COSTS if figure.name != "failed_share")
"""A share for each count would be a column too many."""


def render(found: Distribution, console: Console) -> None:
    """Print how many runs there are, and two tables: how they came back, and what it cost."""
    parts: list[RenderableType] = [Text(words.printable(sentences.headline(found)), "bold"), ""]
    if any(lane.observed_s for lane in found.lanes):
        parts += [_recovery(found), ""]
    parts += [_cost(found), Text(f"\n{sentences.MEANING}", "dim")]
    parts.append(in_colour(sentences.verdict(found)))
    if unanswered := sentences.unanswered(found):
        parts.append(in_colour(unanswered))
    if against := sentences.against(found):
        parts.append(in_colour(against, "red"))
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _recovery(found: Distribution) -> Table:
    table = _table("recovery", "recovered", *(figure.title for figure in TIMES))
    for lane in found.lanes:
        table.add_row(_name(lane), _recovered(lane), *(_sure(figure, lane) for figure in TIMES))
    return table


def _cost(found: Distribution) -> Table:
    table = _table("cost", *(figure.title for figure in _SHOWN_COSTS))
    for lane in found.lanes:
        cells = (
            _stacked(sentences.median(figure, lane), sentences.most(figure, lane))
            for figure in _SHOWN_COSTS
        )
        table.add_row(_name(lane), *cells)
    return table


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for title in titles:
        first = not table.columns
        justify: Literal["left", "right"] = "left" if first else "right"
        table.add_column(title, justify=justify, min_width=len(title), overflow="fold")
    return table


def _name(lane: LaneDistribution) -> Text:
    return Text(words.printable(lane.lane), overflow="fold")


def _recovered(lane: LaneDistribution) -> Text:
    style = "bold green" if lane.recovered == lane.runs else "bold red"
    return _stacked(sentences.recovered(lane), sentences.recovered_interval(lane), style=style)


def _sure(figure: Figure, lane: LaneDistribution) -> Text:
    return _stacked(
        sentences.median(figure, lane),
        sentences.median_interval(figure, lane),
        sentences.most(figure, lane),
    )


def _stacked(value: str, *beneath: str, style: str = "bold") -> Text:
    text = Text(value, style)
    for line in filter(None, beneath):
        text.append(f"\n{line}", "not bold dim")
    return text
