"""One plotly figure a lane: the share of runs that recover at each value, with its interval.

Colours come from the page's style sheet, by the `uid` that a trace has here.
"""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from loadtests.simulation.tipping.answer import LaneAnswer
from loadtests.simulation.tipping.finding import Point
from loadtests.simulation.tipping.search import Answer
from reports.rendering.palette import MARKS
from reports.rendering.plotting import AXIS, PAPER

LINEAR_UP_TO = 8.0
"""Largest ÷ smallest value tried; the axis is logarithmic where it is more."""
_MARKERS = (
    ("recovers", (Answer.RECOVERS,), "circle"),
    ("chance", (Answer.CHANCE,), "diamond"),
    ("fails", (Answer.FAILS,), "square"),
    ("unsure", (None,), "circle-open"),
)
"""By the trace's `uid`: of which answers it is, and what marks them without colour."""


def figure_json(answer: LaneAnswer) -> str:
    """The chart, as plotly's JSON."""
    chart = go.Figure(layout=_layout(answer))
    for uid, kinds, symbol in _MARKERS:
        points = [point for point in answer.finding.points if point.answer in kinds]
        if points:
            _add(chart, answer, points, uid, symbol)
    text: str = chart.to_json(remove_uids=False)
    return text


def _add(
    chart: go.Figure, answer: LaneAnswer, points: Sequence[Point], uid: str, symbol: str
) -> None:
    shares = [100 * point.tally.recovered / point.tally.runs for point in points]
    chart.add_scatter(
        x=[answer.range.sizes[point.place] for point in points],
        y=shares,
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [100 * p.share.high - s for p, s in zip(points, shares, strict=True)],
            "arrayminus": [s - 100 * p.share.low for p, s in zip(points, shares, strict=True)],
            "thickness": 1.5,
            "width": 4,
        },
        uid=uid,
        mode="markers",
        marker={"size": 9, "symbol": symbol},
    )


def _layout(answer: LaneAnswer) -> dict[str, object]:
    scale = _scale(answer)
    unit = f", {answer.range.unit}" if answer.range.unit else ""
    log = " (log scale)" if scale else ""
    return {
        **PAPER,
        "height": 300,
        "margin": {"l": 60, "r": 14, "t": 8, "b": 48},
        "xaxis": {
            **AXIS,
            **scale,
            "showgrid": False,
            "title": {"text": f"{answer.range.path}{unit}{log}"},
        },
        "yaxis": {
            **AXIS,
            "title": {"text": "runs that recover"},
            "range": [-4, 104],
            "tickvals": [0, 25, 50, 75, 100],
            "ticktext": ["0%", "25%", "50%", "75%", "100%"],
        },
        "shapes": [_half(), *_between(answer)],
    }


def _scale(answer: LaneAnswer) -> dict[str, object]:
    """Logarithmic, with ticks at 1, 2, 5, where the values that were tried are far apart."""
    sizes = [answer.range.sizes[point.place] for point in answer.finding.points] or [1.0]
    least, most = min(sizes), max(sizes)
    if least <= 0 or most / least <= LINEAR_UP_TO:
        return {}
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}


def _half() -> dict[str, object]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 50,
        "y1": 50,
        "line": {"color": MARKS["fit"], "width": 1, "dash": "dot"},
    }


def _between(answer: LaneAnswer) -> list[dict[str, object]]:
    """A band from one bound to the other."""
    found = answer.finding
    if found.lower is None or found.upper is None:
        return []
    ends = [answer.range.sizes[place] for place in (found.lower, found.upper)]
    return [
        {
            "type": "rect",
            "yref": "paper",
            "x0": min(ends),
            "x1": max(ends),
            "y0": 0,
            "y1": 1,
            "line": {"width": 0},
            "fillcolor": MARKS["fault"],
            "layer": "below",
        }
    ]
