"""One plotly heat map: what became of every cell, with the figures when the pointer is over it."""

import html
import math

import plotly.graph_objects as go

from aftershock_units import format_number
from loadtests.simulation.sweep.axes import Axis
from loadtests.simulation.sweep.panels import Numbers, Panel
from loadtests.simulation.sweep.quantities import parse_quantity
from loadtests.simulation.sweep.telling import mark_of
from loadtests.simulation.sweep.verdict import Verdict
from reports.rendering.plotting import AXIS, PAPER

_ROW_PX, _LEAST_PX, _MOST_PX = 26, 180, 620
_MARGIN_PX = {"l": 10, "r": 10, "t": 10, "b": 10}
_AROUND_PX = 90
_HOVER = (
    "{x}: %{{x}}{x_unit}<br>{y}: %{{y}}{y_unit}<br><b>%{{customdata[0]}}</b><br>"
    "recovered: %{{customdata[1]}} of "
    "{runs}<br>settled, median: %{{customdata[2]}}<br>failed, median: %{{customdata[3]}}<br>"
    "not valid: %{{customdata[4]}} of {runs}"
    "<extra></extra>"
)


def figure_json(panel: Panel, runs: int) -> str:
    """The map as plotly's JSON. Its colours are put in by the page, which knows the paper's."""
    y_name, y_unit = ("policy", "") if panel.y is None else (panel.y.path, _unit(panel.y))
    rows, columns = (range(count) for count in panel.verdicts.shape)
    heat = go.Heatmap(
        x=_labels(panel.x),
        y=[html.escape(panel.policy)] if panel.y is None else _labels(panel.y),
        z=[[None if cell < 0 else int(cell) for cell in row] for row in panel.verdicts],
        zmin=Verdict.RECOVERS,
        zmax=Verdict.INVALID,
        text=[[mark_of(panel, (row, column)) for column in columns] for row in rows],
        texttemplate="%{text}",
        customdata=_told(panel),
        hovertemplate=_HOVER.format(
            x=panel.x.path, x_unit=_unit(panel.x), y=y_name, y_unit=y_unit, runs=runs
        ),
        hoverongaps=False,
        xgap=1,
        ygap=1,
        showscale=False,
    )
    text: str = go.Figure(data=[heat], layout=_layout(panel)).to_json()
    return text


def _layout(panel: Panel) -> dict[str, object]:
    rows = panel.verdicts.shape[0]
    axis = {**AXIS, "type": "category", "showgrid": False, "automargin": True}
    rows_axis: dict[str, object] = (
        {"title": {"text": titled(panel.y), "standoff": 8}} if panel.y else {"visible": False}
    )
    return {
        **PAPER,
        "height": min(_MOST_PX, max(_LEAST_PX, _ROW_PX * rows + _AROUND_PX)),
        "margin": _MARGIN_PX,
        "xaxis": {**axis, "title": {"text": titled(panel.x), "standoff": 8}},
        "yaxis": {**axis, **rows_axis},
    }


def titled(axis: Axis) -> str:
    """The axis with its unit, which its labels then leave out."""
    unit = _unit(axis)
    return html.escape(axis.path) + (f" ({unit})" if unit else "")


def _unit(axis: Axis) -> str:
    """The unit that all of its values have."""
    try:
        units = {parse_quantity(value).unit for value in axis.values}
    except ValueError:
        return ""
    return units.pop() if len(units) == 1 else ""


def _labels(axis: Axis) -> list[str]:
    unit = _unit(axis)
    return [html.escape(value.removesuffix(unit).strip()) for value in axis.values]


def _told(panel: Panel) -> list[list[list[str]]]:
    """What is said of each cell."""
    rows, columns = panel.verdicts.shape
    return [[_of_cell(panel, (row, column)) for column in range(columns)] for row in range(rows)]


def _of_cell(panel: Panel, at: tuple[int, int]) -> list[str]:
    return [
        Verdict(int(panel.verdicts[at])).words,
        _number(panel.recovered, at),
        _number(panel.settled_s, at, 1.0, " s"),
        _failed(panel, at),
        _number(panel.invalid, at),
    ]


def _failed(panel: Panel, at: tuple[int, int]) -> str:
    """And who has not, but had no answer either."""
    failed = _number(panel.failed_share, at, 100.0, "%")
    if not panel.unanswered_share[at] > 0:
        return failed
    return f"{failed}, unanswered at the end: {_number(panel.unanswered_share, at, 100.0, '%')}"


def _number(numbers: Numbers, at: tuple[int, int], times: float = 1.0, unit: str = "") -> str:
    number = float(numbers[at])
    return "-" if math.isnan(number) else f"{format_number(round(number * times, 2))}{unit}"
