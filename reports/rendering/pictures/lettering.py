"""How wide text is, and how it is broken into lines: everything in a picture is placed by that.

One bundled font, so that a picture is the same wherever it is drawn.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, get_font
from matplotlib.ft2font import LoadFlags

from reports.rendering.words import printable

LINE = 1.36
"""From one line of text to the next, as a multiple of its size."""
_BOUND = "\N{NO-BREAK SPACE}"
_UNIT = re.compile(r"(?<=\d) (?=m?s\b)|(?<=>) (?=\d)")
_FONTS = Path(mpl.get_data_path()) / "fonts" / "ttf"


@lru_cache
def font(size: float, *, bold: bool = False) -> FontProperties:
    """The font of all text, in points."""
    return FontProperties(fname=str(_file(bold=bold)), size=size)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line of text is, in points; pairs that are set closer are not counted as such."""
    return sum(_advance(char, bold=bold) for char in text) * size


def drawable(text: str) -> str:
    """`text` on one line, with a mark for what the font has no letter for."""
    known = _known()
    return "".join(char if ord(char) in known else "�" for char in printable(text))


def lines(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """`text` as lines that are no wider than `room`; a word that is by itself is broken.

    A figure is one word with its unit.
    """
    found: list[str] = []
    line = ""
    for word in _words(drawable(text), size, room, bold=bold):
        longer = f"{line} {word}" if line else word
        if line and width(longer, size, bold=bold) > room:
            found.append(line)
            longer = word
        line = longer
    whole = [*found, line] if line else found
    return [one.replace(_BOUND, " ") for one in whole]


def shortened(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """`text` on one line, cut with an ellipsis where it is wider than `room`."""
    text = drawable(text)
    if width(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(f"{text[:middle]}…", size, bold=bold) <= room:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]}…"


def _words(text: str, size: float, room: float, *, bold: bool) -> Iterator[str]:
    bound = _UNIT.sub(_BOUND, text)
    for word in filter(None, bound.split(" ")):
        rest = word
        while width(rest, size, bold=bold) > room and len(rest) > 1:
            fits = len(rest) - 1
            while fits > 1 and width(rest[:fits], size, bold=bold) > room:
                fits = min(fits - 1, int(fits * 0.9) + 1)
            yield rest[:fits]
            rest = rest[fits:]
        yield rest


@cache
def _advance(char: str, *, bold: bool) -> float:
    """How far a letter takes the pen, as a multiple of the size."""
    face = get_font(str(_file(bold=bold)))
    face.set_size(100, 72)
    glyph = face.load_char(ord(char), flags=LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65_536 / 100


@lru_cache
def _known() -> frozenset[int]:
    return frozenset(get_font(str(_file(bold=False))).get_charmap())


def _file(*, bold: bool) -> Path:
    return _FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
