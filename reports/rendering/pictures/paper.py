"""The paper of a picture: opaque, its places in points from the top left, saved the same each time.

A picture is drawn by the objects of matplotlib alone, which keep no state between two of them.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from xml.sax.saxutils import escape
from zlib import crc32

import matplotlib as mpl
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from reports.rendering.pictures import lettering
from reports.rendering.words import printable

POINTS = 72
PNG_SCALE = 2
"""Pixels of a PNG across a point."""
TITLE, TEXT, LABEL, SMALL = 14.0, 11.0, 11.0, 10.0
INK, WHITE = "#16191d", "#ffffff"

_XML = '<?xml version="1.0" encoding="utf-8"?>\n'
_COORDINATE = re.compile(r"(?<=[ \"])\d+\.\d{3,}(?= \n|\n| [\dL\"])")


@dataclass(frozen=True)
class Box:
    """A place on the paper, in points from its top left."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height


class Paper:
    """A sheet of so many points; only within `defaults` does it look the same everywhere."""

    def __init__(self, width: float, height: float) -> None:
        """White, whatever it is pasted on."""
        self.width, self.height = width, height
        size = (width / POINTS, height / POINTS)
        self.figure = Figure(figsize=size, dpi=POINTS, facecolor=WHITE)

    def axes(self, box: Box) -> Axes:
        """A chart in this place."""
        where = (
            box.left / self.width,
            1 - box.bottom / self.height,
            box.width / self.width,
            box.height / self.height,
        )
        axes: Axes = self.figure.add_axes(where)
        axes.patch.set_visible(False)
        return axes

    def text(  # noqa: PLR0913 - what, where, and how it looks
        self,
        text: str,
        x: float,
        baseline: float,
        size: float,
        color: str = INK,
        *,
        bold: bool = False,
        align: str = "left",
        haloed: bool = False,
    ) -> None:
        """A line of text. Where it is `haloed`, no line runs through it."""
        written = self.figure.text(
            x / self.width,
            1 - baseline / self.height,
            lettering.drawable(text),
            color=color,
            ha=align,
            va="baseline",
            fontproperties=lettering.font(size, bold=bold),
        )
        if haloed:
            written.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground=WHITE)])

    def lines(  # noqa: PLR0913 - as `text`
        self,
        lines: Sequence[str],
        left: float,
        top: float,
        size: float,
        color: str = INK,
        *,
        bold: bool = False,
    ) -> None:
        """Lines of text, one beneath the other."""
        for place, line in enumerate(lines):
            baseline = top + size * (1 + place * lettering.LINE)
            self.text(line, left, baseline, size, color, bold=bold)

    def upright(self, text: str, x: float, middle: float, size: float, color: str) -> None:
        """A line of text that reads upward, its middle here."""
        self.figure.text(
            x / self.width,
            1 - middle / self.height,
            text,
            color=color,
            ha="center",
            va="center",
            rotation=90,
            fontproperties=lettering.font(size),
        )

    def block(self, box: Box, color: str, *, alpha: float = 1.0) -> None:
        """A filled rectangle."""
        self.figure.add_artist(
            Rectangle(
                (box.left / self.width, 1 - box.bottom / self.height),
                box.width / self.width,
                box.height / self.height,
                transform=self.figure.transFigure,
                color=color,
                alpha=alpha,
                linewidth=0,
            )
        )

    def svg(self, title: str, description: str) -> bytes:
        """As SVG, its letters drawn, with title and description for those who do not see it."""
        drawn = BytesIO()
        self.figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "Aftershock"})
        text = _COORDINATE.sub(_rounded, drawn.getvalue().decode())
        _, tag, rest = text.partition("<svg ")  # without the address of its DTD
        attributes, closing, body = rest.partition(">")
        own = f"{crc32(printable(title).encode()):08x}"  # several may be put into one page
        told = (
            f'\n <title id="title-{own}">{escape(printable(title))}</title>'
            f'\n <desc id="desc-{own}">{escape(printable(description))}</desc>'
        )
        spoken = f' role="img" aria-labelledby="title-{own} desc-{own}"'
        return f"{_XML}{tag}{attributes}{spoken}{closing}{told}{body}".encode()

    def png(self) -> bytes:
        """As PNG, two pixels to the point."""
        drawn = BytesIO()
        self.figure.savefig(
            drawn, format="png", dpi=POINTS * PNG_SCALE, metadata={"Software": None}
        )
        return drawn.getvalue()


@contextmanager
def defaults() -> Iterator[None]:
    """Draw by the settings that matplotlib comes with, whatever somebody has set."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams["svg.hashsalt"] = "aftershock"
        mpl.rcParams["text.parse_math"] = False
        mpl.rcParams["text.hinting"] = "none"  # or letters are wider than `lettering` says
        yield


def _rounded(coordinate: re.Match[str]) -> str:
    """To a hundredth of a point."""
    return f"{float(coordinate.group()):.2f}"
