"""Small charts with one scale: offered load against capacity, around the trigger of each lane.

Lines get their colours from the page's style sheet, by the names that they have here.
"""

import json
import math

import numpy as np
from numpy.typing import NDArray

from reports.measuring.downsampling import thinned
from reports.measuring.drawing import around
from reports.measuring.recovery import Drawn, Recovery
from reports.rendering import words
from reports.rendering.layers import layers_of
from reports.rendering.marks import end_color, settled_label
from reports.rendering.palette import LIGHT, MARKS
from reports.rendering.plotting import AXIS, CLEAR, closed
from reports.several.study import StudiedLane, Study
from reports.several.studying import BEFORE_S
from reports.statistics.value import Value

HEIGHT_PX = 128
MOST_TICKS = 240
"""Of a small chart, which is about as many pixels wide."""
LEAST_S = 10.0
ROOM = 1.25
Scale = tuple[float, float, float]
"""From which second to which, and up to how many attempts per second."""


def lanes_of(study: Study) -> list[StudiedLane]:
    """All lanes under all conditions."""
    return [lane for condition in study.conditions for lane in condition.lanes]


def scale_of(study: Study) -> Scale | None:
    """One for all small charts; `None` where nothing is drawn.

    From shortly before the longest trigger until the last lane had settled and some more, or as
    long as the longest was watched where one did not.
    """
    drawn = [(lane, lane.drawn) for lane in lanes_of(study) if lane.drawn and lane.disturbed]
    if not drawn:
        return None
    from_s = -BEFORE_S - max(one.trigger.length_s if one.trigger else 0.0 for _, one in drawn)
    watched_s = max(lane.watched_s for lane, _ in drawn)
    until_s = min(watched_s, max([LEAST_S, *(ROOM * _over_s(lane, one) for lane, one in drawn)]))
    highest = [float(_shown(one, (from_s, until_s)).max(initial=0.0)) for _, one in drawn]
    return from_s, until_s, 1.06 * max([1.0, *highest])


def _shown(lane: Recovery, ends: tuple[float, float]) -> NDArray[np.float64]:
    """Offered load and capacity of the ticks between the ends."""
    drawn = around(lane.drawn, *ends)
    return np.concatenate([drawn.by_attempt_per_s.sum(axis=0), drawn.capacity_per_s])


def _over_s(lane: StudiedLane, drawn: Recovery) -> float:
    """When it was over: in the run that is drawn, and in the median of all."""
    after = drawn.after
    own = after.marked_s if after else 0.0
    found = lane.distribution.summaries.get("settled_s") if lane.distribution else None
    median = found.median if found else Value(0.0)
    return max(own, median.amount)


def load_json(lane: Recovery, scale: Scale) -> str:
    """A small chart of one lane, as plotly's JSON. A trace's `uid` becomes a class in the page."""
    drawn, ends = within(lane, scale, MOST_TICKS)
    traces: list[dict[str, object]] = []
    if drawn.t_s.size:
        x = _short(ends)
        traces = [
            {
                "type": "scatter", "y": _short(closed(row)), "stackgroup": "offered",
                "fillcolor": LIGHT[name], "line": {"shape": "hv", "width": 0},
            }
            for name, row in layers_of(drawn).items()
        ]  # fmt: skip
        line: dict[str, object] = {"shape": "hv", "width": 1.5}
        y = _short(closed(drawn.capacity_per_s))
        traces.append({"type": "scatter", "y": y, "uid": "capacity", "mode": "lines", "line": line})
        traces[0]["x"] = x  # which the script gives the others too
    layout = {**_layout(scale), "shapes": _marks(lane, scale[1])}
    return json.dumps({"data": traces, "layout": layout}, allow_nan=False)


def within(lane: Recovery, scale: Scale, most: int) -> tuple[Drawn, NDArray[np.float64]]:
    """What is drawn of a lane, of `most` ticks; and where they begin, and the last one ends."""
    from_s, until_s, _ = scale
    every = around(lane.drawn, from_s, until_s)
    drawn = thinned(every, most)
    if not every.t_s.size:
        return drawn, every.t_s
    # The last tick needs an end, or its step would have no width.
    end_s = every.t_s[-1] + (every.t_s[-1] - every.t_s[-2] if every.t_s.size > 1 else 0.0)
    return drawn, np.append(drawn.t_s, end_s)


def _marks(lane: Recovery, until_s: float) -> list[dict[str, object]]:
    """The disturbances as bands, and where the lane had settled, or that it had not to the end."""
    whole = {"yref": "paper", "y0": 0, "y1": 1}
    found: list[dict[str, object]] = [
        {
            "type": "rect", "x0": one.start_s, "x1": one.end_s, **whole, "layer": "below",
            "fillcolor": MARKS["fault"], "opacity": 1, "line": {"width": 0},
        }
        for one in lane.drawn.faults
    ]  # fmt: skip
    after = lane.after
    if after is None:
        return found
    at_s = min(after.marked_s, until_s)
    pen = {"color": end_color(after), "width": 2, "dash": "solid" if after.recovered else "dash"}
    return [*found, {"type": "line", "x0": at_s, "x1": at_s, **whole, "line": pen}]


def described(lane: StudiedLane) -> str:
    """The small chart of a lane in words, for those who do not see it."""
    drawn = lane.drawn
    if drawn is None or drawn.after is None:
        return ""
    return (
        f"Offered load of {words.printable(lane.title)} in the run {lane.drawn_from}: peak "
        f"{words.rate(drawn.peak_per_s)}, capacity {words.rate(drawn.capacity_per_s)}, "
        f"{settled_label(drawn)}."
    )


def _layout(scale: Scale) -> dict[str, object]:
    """The same for every small chart: what its axes are stands beside the grid."""
    from_s, until_s, top_per_s = scale
    return {
        **CLEAR,
        "font": {"family": "system-ui, sans-serif", "size": 11},
        "height": HEIGHT_PX,
        "margin": {"l": 34, "r": 12, "t": 4, "b": 22},
        "xaxis": {**AXIS, "range": [from_s, until_s], "showgrid": False, "nticks": 5},
        "yaxis": {**AXIS, "range": [0, top_per_s], "tickformat": "~s", "nticks": 4},
    }


def _short(row: NDArray[np.float64]) -> list[float | None]:
    """In few digits: a chart is small, and a page has many."""
    return [None if math.isnan(value) else round(float(value), 3) for value in row]
