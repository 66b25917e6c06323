"""In which share of the samples a lane had settled, by the time after the trigger.

The lane's own line stands before those of the others. Lines get their colours from the page's style
sheet, by the names that they have here.
"""

import json
from collections.abc import Iterable

from reports.rendering.plotting import AXIS, CLEAR
from reports.rendering.study.grid import lanes_of
from reports.several.study import StudiedLane, Study

HEIGHT_PX = 220
Points = tuple[list[float | None], list[float | None]]


def figure_json(lane: StudiedLane, others: Iterable[StudiedLane], until_s: float) -> str:
    """In which share of the samples the lane had settled, by the time after the trigger."""
    beside: Points = ([], [])
    for other in others:
        if other is not lane and other.disturbed:
            # One trace for all of them: a gap between two lines.
            for axis, values in zip(beside, steps(other, until_s), strict=True):
                axis += [*values, None]
    traces = [_line("others", beside, 1), _line("own", steps(lane, until_s), 2.5)]
    return json.dumps({"data": traces, "layout": _layout(until_s)}, allow_nan=False)


def _line(uid: str, points: Points, width: float) -> dict[str, object]:
    x, y = points
    line = {"shape": "hv", "width": width}
    return {"type": "scatter", "x": x, "y": y, "uid": uid, "mode": "lines", "line": line}


def until_s_of(study: Study) -> float:
    """The end of all charts of that: what was watched where a lane did not come back."""
    lanes = [lane for lane in lanes_of(study) if lane.disturbed]
    watched_s = max((lane.watched_s for lane in lanes), default=1.0)
    if any(not lane.settled_by or lane.settled_by[-1][1] < 1 - 1e-9 for lane in lanes):
        return watched_s
    last_s = max((lane.settled_by[-1][0] for lane in lanes), default=0.0)
    return min(watched_s, max(1.0, 1.2 * last_s))


def steps(lane: StudiedLane, until_s: float) -> Points:
    """Up at the time of each sample that settled, and level to the end."""
    x: list[float | None] = [0.0]
    y: list[float | None] = [0.0]
    for settled_s, share in lane.settled_by:
        if settled_s == x[-1]:
            y[-1] = round(share, 6)
        else:
            x.append(round(settled_s, 6))
            y.append(round(share, 6))
    return [*x, max(until_s, x[-1] or 0.0)], [*y, y[-1]]


def _layout(until_s: float) -> dict[str, object]:
    """The same for every lane. No title and no legend: the page has them."""
    return {
        **CLEAR,
        "height": HEIGHT_PX,
        "margin": {"l": 44, "r": 14, "t": 8, "b": 44},
        "xaxis": {
            **AXIS,
            "title": {"text": "seconds after the disturbance"},
            "showgrid": False,
            "range": [0, until_s],
        },
        "yaxis": {**AXIS, "range": [0, 1.05], "tickformat": ".0%", "nticks": 5},
    }
