"""One plotly figure a lane: in which share of the runs it had settled, by the time after the dip.

The lane's own line stands before those of the others. Lines get their colours from the page's style
sheet, by the names that they have here.
"""

import plotly.graph_objects as go

from loadtests.simulation.distribution.summary import Distribution, LaneDistribution
from reports.rendering.plotting import AXIS, PAPER

Points = tuple[list[float | None], list[float | None]]


def figure_json(lane: LaneDistribution, found: Distribution) -> str:
    """The chart of one lane, as plotly's JSON. A trace's `uid` becomes a class in the page."""
    chart = go.Figure(layout=_layout(found))
    others: Points = ([], [])
    for other in found.lanes:
        if other is not lane and other.observed_s:
            # One trace for all of them: a gap between two lines.
            for axis, values in zip(others, _steps(other), strict=True):
                axis += [*values, None]
    for uid, (x, y), width in (("others", others, 1), ("own", _steps(lane), 2.5)):
        line = {"shape": "hv", "width": width}
        chart.add_scatter(x=x, y=y, uid=uid, mode="lines", line=line, connectgaps=False)
    text: str = chart.to_json(remove_uids=False)
    return text


def _steps(lane: LaneDistribution) -> Points:
    """The share settled within t: up by 1/n at the time of each run, up to what recovered."""
    x: list[float | None] = [0.0]
    y: list[float | None] = [0.0]
    for place, settled_s in enumerate(lane.settled_s, 1):
        if settled_s == x[-1]:
            y[-1] = place / lane.runs
        else:
            x.append(settled_s)
            y.append(place / lane.runs)
    return [*x, lane.observed_s], [*y, y[-1]]


def _layout(found: Distribution) -> dict[str, object]:
    """The same for every lane. No title and no legend: the page has them."""
    observed_s = max(lane.observed_s for lane in found.lanes)
    last_s = max((lane.settled_s[-1] for lane in found.lanes if lane.settled_s), default=0.0)
    lost = any(lane.recovered < lane.runs for lane in found.lanes)
    return {
        **PAPER,
        "height": 220,
        "margin": {"l": 44, "r": 14, "t": 8, "b": 44},
        "xaxis": {
            **AXIS,
            "title": {"text": "seconds after the last disturbance"},
            "showgrid": False,
            # All that was watched where a lane did not come back, and no empty room elsewhere.
            "range": [0, observed_s if lost else min(observed_s, max(1.0, 1.2 * last_s))],
        },
        "yaxis": {
            **AXIS,
            "range": [0, 1.05],
            "tickformat": ".0%",
            "nticks": 5,
        },
    }
