"""The colours of the layers of a chart, for light and for dark paper.

First attempts are blue, retries go from yellow to violet and darken on the way: told apart without
red against green, and in grey. Figures carry the light colours; on dark paper the style sheet
replaces each by its dark one, so that no chart is drawn twice.
"""

from collections.abc import Mapping

LIGHT = {
    "unknown": "#9aa3ad",
    "first": "#9dbfe3",
    "retry1": "#f4bd4a",
    "retry2": "#e2702f",
    "retry3": "#a8205f",
    "later": "#4d1358",
}
DARK = {
    "unknown": "#6d7680",
    "first": "#4879ad",
    "retry1": "#f2b845",
    "retry2": "#e5733a",
    "retry3": "#d1498c",
    "later": "#9d6bc4",
}
MARKS = {
    "fault": "#16191e",
    "action": "#44546a",
    "bar": "#fdfdfe",
    "relapse": "#b3261f",
    "settled": "#00695c",
    "lost": "#b3261e",
    "fit": "#16191d",
}
"""Bands, bars and lines over the charts: by each colour the style sheet finds what it is of."""
ENDS = {"lost": MARKS["lost"], "ok": MARKS["settled"]}
DARK_ENDS = {"lost": "#ff8a80", "ok": "#5fd6c0"}
"""What went badly and what went well, in words and lines."""


def variables() -> str:
    """Rules that name the colours, on light and on dark paper: ``--layer-first``, ``--lost``."""
    light, dark = _named(LIGHT, ENDS), _named(DARK, DARK_ENDS)
    at_night = "@media (prefers-color-scheme: dark)"
    return f":root {{ {light} }}\n{at_night} {{ :root {{ {dark} }} }}\n"


def _named(layers: Mapping[str, str], ends: Mapping[str, str]) -> str:
    named = {**{f"layer-{name}": color for name, color in layers.items()}, **ends}
    return " ".join(f"--{name}: {color};" for name, color in named.items())


def css() -> str:
    """Rules for the swatches of the legend, and for charts on dark paper."""
    rules = [f".swatch.{name} {{ background: {color}; }}" for name, color in LIGHT.items()]
    rules.append("@media screen and (prefers-color-scheme: dark) {")
    for name, color in DARK.items():
        rules.append(f"  .swatch.{name} {{ background: {color}; }}")
        drawn = f'.js-fill[style*="fill: {_rgb(LIGHT[name])}"]'
        rules.append(f"  {drawn} {{ fill: {color} !important; }}")
        line = f'.js-line[style*="stroke: {_rgb(LIGHT[name])}"]'
        rules.append(f"  {line} {{ stroke: {color} !important; }}")
    return "\n".join([*rules, "}", *_marks()])


def _marks() -> list[str]:
    """Each mark by its colour in a figure takes the colour that the style sheet has for it."""
    rules = []
    for name, color in MARKS.items():
        by_fill, by_stroke = f'[style*="fill: {_rgb(color)}"]', f'[style*="stroke: {_rgb(color)}"]'
        rules += [
            f".shapelayer path{by_fill} {{ fill: var(--mark-{name}) !important; "
            f"fill-opacity: 1 !important; }}",
            f".shapelayer path{by_stroke} {{ stroke: var(--mark-{name}) !important; }}",
            f".annotation .annotation-text{by_fill} {{ fill: var(--mark-{name}) !important; }}",
        ]
    return rules


def _rgb(color: str) -> str:
    """``#9dbfe3`` as a browser writes it in a style: ``rgb(157, 191, 227)``."""
    red, green, blue = bytes.fromhex(color[1:])
    return f"rgb({red}, {green}, {blue})"
