"""Small charts in rows and columns, as the body of a picture: each with its lines above it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.rendering.pictures import lettering
from reports.rendering.pictures.framing import BETWEEN, Body
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.paper import INK, SMALL, Box, Paper

NAME, CHART = 12.5, 120.0
LEFT, BELOW = 50.0, 42.0
"""Room for the numbers and the titles of the axes."""


Draw = Callable[[Paper, Box], None]


@dataclass(frozen=True)
class Cell:
    """A small chart, if there is anything to draw, and what stands above it."""

    title: str
    told: str
    draw: Draw | None


def body(rows: Sequence[Sequence[Cell]], columns: int, inner: float) -> Body:
    """So many charts beside each other, in the width that there is."""
    own = (inner - BETWEEN * (columns - 1)) / columns
    heads = [[_head(one, own) for one in row] for row in rows]
    heights = [_height(head) + CHART + BELOW for head in heads]

    def draw(paper: Paper, left: float, top: float) -> None:
        at = top
        for row, head, height in zip(rows, heads, heights, strict=True):
            for place, (one, said) in enumerate(zip(row, head, strict=True)):
                beside = left + place * (own + BETWEEN)
                paper.lines(said[:1], beside, at, NAME, INK, bold=True)
                paper.lines(said[1:], beside, at + NAME * lettering.LINE, SMALL, GREY)
                if one.draw:
                    one.draw(paper, Box(beside + LEFT, at + _height(head), own - LEFT - 4, CHART))
            at += height

    return Body(sum(heights), draw)


def _head(one: Cell, width: float) -> list[str]:
    title = lettering.shortened(one.title, NAME, width, bold=True)
    return [title, *lettering.lines(one.told, SMALL, width)]


def _height(heads: Sequence[Sequence[str]]) -> float:
    most = max(map(len, heads))
    return NAME * lettering.LINE + (most - 1) * SMALL * lettering.LINE + 6
