"""What stands over the charts of a picture: that it is not valid, the title, the legend."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from reports.measuring.recovery import Recovery
from reports.rendering import captions, legend
from reports.rendering.palette import LIGHT, MARKS
from reports.rendering.pictures import lettering
from reports.rendering.pictures.drawing import CAPACITY, QUEUE_FILL, THROUGH
from reports.rendering.pictures.paper import INK, LABEL, TEXT, TITLE, WHITE, Box, Paper
from reports.summary import Report

SWATCH, ROW = 11.0, 18.0


@dataclass(frozen=True)
class Picture:
    """A picture: what it is called, what it shows in one line, and the caption in it."""

    name: str
    title: str
    caption: str
    lanes: tuple[Recovery, ...]
    report: Report
    sheet: bool


@dataclass(frozen=True)
class Heading:
    """The heading of a picture, so wide and `margin` from the edge of the paper."""

    picture: Picture
    width: float
    margin: float

    @cached_property
    def warning(self) -> list[str]:
        """Why the result is not valid, in lines; none when it is."""
        report, room = self.picture.report, self.width - 20
        said = "" if report.valid else captions.validity(report)
        return lettering.lines(said, TEXT, room, bold=True)

    @cached_property
    def title(self) -> list[str]:
        """What the picture shows, in lines."""
        return lettering.lines(self.picture.title, TITLE, self.width, bold=True)

    @cached_property
    def entries(self) -> list[tuple[str, str, int, float]]:
        """What each colour is: label, kind, row, and where in it."""
        found = legend.entries(self.picture.report, self.picture.lanes)
        return _flow((one for one in found if one[0] not in legend.ON_PAGES), self.width)

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


def _flow(entries: Iterator[tuple[str, str]], width: float) -> list[tuple[str, str, int, float]]:
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
    elif kind in ("settled", "lost"):
        paper.block(Box(left + 4.5, top - 1, 2, SWATCH + 2), MARKS[kind])
    else:
        paper.block(Box(left, top + 5, SWATCH, 2), CAPACITY)
