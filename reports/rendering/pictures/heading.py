"""What stands over the charts of a picture: that it is not valid, the title, the legend."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from reports.rendering.palette import LIGHT, MARKS
from reports.rendering.pictures import lettering
from reports.rendering.pictures.drawing import CAPACITY, QUEUE_FILL, THROUGH
from reports.rendering.pictures.paper import INK, LABEL, TEXT, TITLE, WHITE, Box, Paper

SWATCH, ROW = 11.0, 18.0
CURVES = {"own": (INK, 2.4), "others": ("#a3abb3", 1.0)}
"""Colour and width of lines that stand for lanes."""


@dataclass(frozen=True)
class Heading:
    """Of a picture, so wide and `margin` from the edge of the paper.

    `against`: why the result is not valid; empty when it is. `legend` has kinds and labels.
    """

    against: str
    titled: str
    legend: tuple[tuple[str, str], ...]
    width: float
    margin: float

    @cached_property
    def warning(self) -> list[str]:
        """Why the result is not valid, in lines; none when it is."""
        return lettering.lines(self.against, TEXT, self.width - 20, bold=True)

    @cached_property
    def title(self) -> list[str]:
        """What the picture shows, in lines."""
        return lettering.lines(self.titled, TITLE, self.width, bold=True)

    @cached_property
    def entries(self) -> list[tuple[str, str, int, float]]:
        """What each colour is: label, kind, row, and where in it."""
        return _flow(self.legend, self.width)

    @property
    def height(self) -> float:
        """In points, with the space beneath it."""
        return self._warned + len(self.title) * TITLE * lettering.LINE + self._rows * ROW + 12

    @property
    def _warned(self) -> float:
        return len(self.warning) * TEXT * lettering.LINE + 22 if self.warning else 0.0

    @property
    def _rows(self) -> int:
        return 1 + max((row for _, _, row, _ in self.entries), default=-1)

    def draw(self, paper: Paper, top: float) -> None:
        """Draw it, from `top` on."""
        left, at = self.margin, top
        if self.warning:
            paper.block(Box(left, at, self.width, self._warned - 10), MARKS["lost"])
            paper.lines(self.warning, left + 10, at + 5, TEXT, WHITE, bold=True)
            at += self._warned
        paper.lines(self.title, left, at, TITLE, INK, bold=True)
        at += len(self.title) * TITLE * lettering.LINE
        for label, kind, row, x in self.entries:
            y = at + row * ROW
            _swatch(paper, kind, left + x, y + 4)
            paper.text(label, left + x + SWATCH + 5, y + 13, LABEL, INK)


def _flow(entries: Iterable[tuple[str, str]], width: float) -> list[tuple[str, str, int, float]]:
    """Entries one after the other, in as many rows as it takes."""
    found, x, row = [], 0.0, 0
    for kind, label in entries:
        wide = SWATCH + 5 + lettering.width(label, LABEL)
        if x and x + wide > width:
            x, row = 0.0, row + 1
        found.append((label, kind, row, x))
        x += wide + 18
    return found


def _swatch(paper: Paper, kind: str, left: float, top: float) -> None:
    if kind in LIGHT:
        paper.block(Box(left, top, SWATCH, SWATCH), LIGHT[kind])
    elif kind in ("fault", "relapse", "action"):
        paper.block(Box(left, top, SWATCH, SWATCH), MARKS[kind], alpha=0.16)
    elif kind == "queue":
        paper.block(Box(left, top, SWATCH, SWATCH), QUEUE_FILL)
    elif kind == "through":
        for part in (0.0, 6.5):
            paper.block(Box(left + part, top + 5, 4.5, 1.6), THROUGH)
    elif kind in CURVES:
        color, wide = CURVES[kind]
        paper.block(Box(left, top + (SWATCH - wide) / 2, SWATCH, wide), color)
    elif kind in ("settled", "lost"):
        paper.block(Box(left + 4.5, top - 1, 2, SWATCH + 2), MARKS[kind])
    else:
        paper.block(Box(left, top + 5, SWATCH, 2), CAPACITY)
