"""One plotly figure a lane: offered load stacked by attempt number against capacity.

Lines and labels get their colours from the page's style sheet, by their places and names.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from reports import words
from reports.palette import LIGHT
from reports.recovery import Drawn, Recovery
from reports.series import Floats
from reports.summary import Report

LAYERS = tuple(LIGHT)
LAYER_NAMES = (
    "attempts of unknown number",
    "first attempts",
    "1st retries",
    "2nd retries",
    "3rd retries",
    "later retries",
)
HEADROOM = 1.32
HEIGHT = 270


def top_per_s(report: Report) -> float:
    """The upper end of the load axis, the same in all charts, with room for labels."""
    highest = [max(policy.peak_per_s, policy.capacity_per_s) for policy in report.policies]
    return HEADROOM * max([1.0, *highest])


def layers_of(drawn: Drawn) -> dict[str, Floats]:
    """The layers that hold any attempt, from the bottom up, in attempts per second."""
    rows = drawn.by_attempt_per_s
    last = len(LAYERS) - 1
    stacked = [*rows[:last], rows[last:].sum(axis=0)]
    return {name: row for name, row in zip(LAYERS, stacked, strict=False) if row.any()}


def figure_json(policy: Recovery, report: Report) -> str:
    """The chart of one lane, as plotly's JSON. A trace's `uid` becomes a class in the page."""
    text: str = _figure(policy, report).to_json(remove_uids=False)
    return text


def _figure(policy: Recovery, report: Report) -> go.Figure:
    chart = go.Figure(layout=_layout(policy, report))
    drawn = policy.drawn
    if not drawn.t_s.size:
        return chart
    # The last tick needs an end, or its step would have no width.
    x = np.append(drawn.t_s, drawn.t_s[-1] + report.run.tick_s)
    for name, row in layers_of(drawn).items():
        chart.add_scatter(
            x=x,
            y=np.append(row, row[-1]),
            name=LAYER_NAMES[LAYERS.index(name)],
            stackgroup="offered",
            fillcolor=LIGHT[name],
            line={"shape": "hv", "width": 0},
        )
    chart.add_scatter(
        x=x,
        y=np.append(drawn.capacity_per_s, drawn.capacity_per_s[-1]),
        uid="capacity",
        name="capacity",
        mode="lines",
        line={"shape": "hv", "width": 2},
    )
    return chart


def _layout(policy: Recovery, report: Report) -> dict[str, object]:
    """Axes, marks and labels. No title and no legend: the page has them."""
    since = "the dip's end" if report.dip else "the run's begin"
    axis = {"fixedrange": True, "zeroline": False, "ticks": "outside", "ticklen": 4}
    return {
        "template": "none",
        "height": HEIGHT,
        "margin": {"l": 56, "r": 14, "t": 8, "b": 44},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 12.5},
        "showlegend": False,
        "xaxis": {**axis, "title": {"text": f"seconds after {since}"}, "showgrid": False},
        "yaxis": {
            **axis,
            "title": {"text": "attempts/s"},
            "range": [0, top_per_s(report)],
            "tickformat": ",.0~f",
            "nticks": 6,
        },
        "shapes": _shapes(policy, report),
        "annotations": _labels(policy, report),
    }


def _settled_at(policy: Recovery, report: Report) -> float:
    """Where the mark of settled stands: at the end of the observation when it did not come."""
    settled_s = policy.after.settled_s if policy.after else None
    return report.observed_s if settled_s is None else settled_s


def _shapes(policy: Recovery, report: Report) -> list[dict[str, object]]:
    """The dip as a band, settled and first fit as lines, relapses as bands.

    In this order: the style sheet knows the first three by their places.
    """
    after = policy.after
    if report.dip is None or after is None:
        return []
    whole = {"yref": "paper", "y0": 0, "y1": 1}
    band = {"type": "rect", "layer": "below", "line": {"width": 0}, **whole}
    settled, fit = _settled_at(policy, report), after.first_fit_s
    shapes: list[dict[str, object]] = [
        {**band, "x0": -report.dip.length_s, "x1": 0},
        # Not up to the first row of labels, which it would strike through.
        {**whole, "y1": 0.9, "type": "line", "x0": settled, "x1": settled, "line": {"width": 2}},
    ]
    if fit is not None:
        dotted = {"width": 1.5, "dash": "dot"}
        shapes.append({**whole, "type": "line", "x0": fit, "x1": fit, "line": dotted})
    return shapes + [{**band, "x0": wave.start_s, "x1": wave.end_s} for wave in after.relapses]


def _labels(policy: Recovery, report: Report) -> list[dict[str, object]]:
    """Direct labels, each on its own row at the top, so that they cannot meet.

    In this order: the style sheet knows settled by its place, and puts paper behind the moments.
    """
    after = policy.after
    if report.dip is None or after is None:
        return []
    settled, fit = _settled_at(policy, report), after.first_fit_s
    word = f"settled {words.settled(policy, report)}"
    if not after.recovered:
        word = words.settled(policy, report)
    capacity = _label(
        f"capacity {words.rate(policy.capacity_per_s)}", report.observed_s, 0, "right"
    )
    labels = [
        {**capacity, "y": policy.capacity_per_s, "yref": "y", "yanchor": "bottom", "xshift": 0},
        # Bold here and not in the style sheet: plotly must know how wide it is.
        {**_label(word, settled, 1, _side(settled, report)), "font": {"weight": 700}},
        _label("dip", 0, 0, "right"),
    ]
    if fit is not None:
        labels.append(_label(f"first fit {words.seconds(fit)}", fit, 0, _side(fit, report)))
    return labels


def _side(moment_s: float, report: Report) -> str:
    """Which side of its label a mark stands on: the label must not leave the chart."""
    return "left" if moment_s <= report.observed_s / 2 else "right"


def _label(text: str, x: float, row: int, side: str) -> dict[str, object]:
    return {
        "text": text,
        "x": x,
        "xanchor": side,
        "xshift": 5 if side == "left" else -5,
        "y": 1 - 0.1 * row,
        "yref": "paper",
        "yanchor": "top",
        "showarrow": False,
        # Behind the text, so that no line runs through it.
        "bgcolor": "white",
        "borderpad": 1,
    }


def described(policy: Recovery, report: Report) -> str:
    """A chart in words, for those who do not see it."""
    peak = f"peak {words.rate(policy.peak_per_s)}, capacity {words.rate(policy.capacity_per_s)}"
    if policy.after is None:
        return f"Offered load of {words.name(policy)} over the run: {peak}."
    fit, settled = words.first_fit(policy), words.settled(policy, report)
    return f"Offered load of {words.name(policy)}: {peak}; first fit {fit}, settled {settled}."


def legend(report: Report) -> Sequence[tuple[str, str]]:
    """Class and name of every layer that occurs in any chart, from the bottom up."""
    used = {name for policy in report.policies for name in layers_of(policy.drawn)}
    return [(name, label) for name, label in zip(LAYERS, LAYER_NAMES, strict=True) if name in used]
