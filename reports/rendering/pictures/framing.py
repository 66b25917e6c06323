"""A whole picture: its heading, what is drawn, and beneath it the caption."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reports.rendering.pictures import lettering
from reports.rendering.pictures.heading import Heading
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.paper import TEXT, Box, Paper, defaults

MARGIN, BETWEEN = 20.0, 26.0


@dataclass(frozen=True)
class Body:
    """What is drawn: how high it is, and what draws it on a paper from a left and a top on."""

    height: float
    draw: Callable[[Paper, float, float], None]


@dataclass(frozen=True)
class Picture:
    """A picture: what its file is called, what it shows in one line, and the caption in it.

    `against`: why the result is not valid; empty when it is. `body` is made for a width. A `sheet`
    has all lanes in it.
    """

    name: str
    title: str
    caption: str
    against: str
    legend: tuple[tuple[str, str], ...]
    width: float
    body: Callable[[float], Body]
    sheet: bool


def draw(picture: Picture) -> Paper:
    """Draw it. Call this, and save what it returns, within `paper.defaults`."""
    inner = picture.width - 2 * MARGIN
    body = picture.body(inner)
    heading = Heading(picture.against, picture.title, picture.legend, inner, MARGIN)
    caption = lettering.lines(picture.caption, TEXT, inner)
    below = len(caption) * TEXT * lettering.LINE + 8
    paper = Paper(picture.width, heading.height + body.height + below + 2 * MARGIN)
    heading.draw(paper, MARGIN)
    body.draw(paper, MARGIN, MARGIN + heading.height)
    at = MARGIN + heading.height + body.height
    paper.block(Box(MARGIN, at, inner, 0.8), GREY, alpha=0.5)
    paper.lines(caption, MARGIN, at + 8, TEXT)
    return paper


def saved(picture: Picture, endings: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The picture as ``svg`` or ``png``, drawn once."""
    with defaults():
        paper = draw(picture)
        for ending in endings:
            svg = ending == "svg"
            yield ending, paper.svg(picture.title, picture.caption) if svg else paper.png()
