"""A picture of the waits before each retry: a bar per retry, as SVG. Deterministic to the byte."""

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from loadtests.policies.outage import Delays
from loadtests.policy_pages.words import delay

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 640, 22, 64, 84, 8, 26
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#555}"
    ".wide{fill:#9ec5ee}.narrow{fill:#2f6fb5}.middle{fill:#fff}.grid{stroke:#ddd}"
    "@media(prefers-color-scheme:dark){text{fill:#bbb}.grid{stroke:#444}.wide{fill:#2c4f75}"
    ".narrow{fill:#6aa9ea}.middle{fill:#111}}"
)


def picture(name: str, delays: Sequence[Delays]) -> str:
    """From p1 to p99 pale, from p25 to p75 dark, the median a notch with its figure beside it."""
    height = TOP + ROW * len(delays) + BOTTOM
    root = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=str(WIDTH),
        height=str(height),
        role="img",
    )
    SubElement(root, "title").text = f"Waits of {name} before each retry"
    SubElement(root, "style").text = _STYLE
    longest_s = _round_up(max(row.at[99] for row in delays))
    _draw_axis(root, longest_s, height)
    for index, row in enumerate(delays):
        _draw_row(root, row, TOP + ROW * index, longest_s)
    return tostring(root, encoding="unicode") + "\n"


def _round_up(seconds: float) -> float:
    """The next 1, 2 or 5 times a power of ten: where the axis ends."""
    if seconds <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(seconds))
    return next(step * power for step in (1, 2, 5, 10) if seconds <= step * power * (1 + 1e-9))


def _x(seconds: float, longest_s: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * seconds / longest_s


def _number(value: float) -> str:
    return f"{value:.1f}"


def _text(parent: Element, x: float, y: float, text: str, anchor: str) -> None:
    element = SubElement(parent, "text", x=_number(x), y=_number(y))
    element.set("text-anchor", anchor)
    element.text = text


def _draw_axis(root: Element, longest_s: float, height: int) -> None:
    for part in range(5):
        seconds = longest_s * part / 4
        x = _number(_x(seconds, longest_s))
        bottom = height - BOTTOM
        SubElement(root, "line", {"class": "grid"}, x1=x, x2=x, y1=str(TOP), y2=str(bottom))
        _text(root, _x(seconds, longest_s), height - 8, delay(seconds), "middle")


def _draw_row(root: Element, row: Delays, top: float, longest_s: float) -> None:
    _text(root, LEFT - 8, top + 15, f"retry {row.retry}", "end")
    for kind, low, high, inset in (("wide", 1, 99, 7), ("narrow", 25, 75, 4)):
        left, right = _x(row.at[low], longest_s), _x(row.at[high], longest_s)
        SubElement(
            root,
            "rect",
            {"class": kind},
            x=_number(left),
            y=_number(top + inset),
            width=_number(max(2.0, right - left)),
            height=_number(ROW - 2 * inset),
        )
    middle = _x(row.at[50], longest_s)
    SubElement(
        root,
        "rect",
        {"class": "middle"},
        x=_number(middle - 0.5),
        y=_number(top + 4),
        width="1",
        height=_number(ROW - 8),
    )
    _text(root, WIDTH - RIGHT + 12, top + 15, delay(row.at[50]), "start")
