"""The load around every trigger of a lane in one chart, by seconds after the trigger's end.

Lines get their colours from the page's style sheet, by the names that they have here.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from reports.folding.trigger import Event
from reports.measuring.catalogue import SETTLED
from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Recovery
from reports.measuring.repeated import Aligned, aligned
from reports.reading.series import Floats
from reports.rendering import spreads, words
from reports.rendering.marks import AROUND_PX, LABEL_PX, LOAD_PX, WHOLE
from reports.rendering.palette import MARKS
from reports.rendering.plotting import AXIS, PAPER, short
from reports.rendering.strokes import Mark, band, label, pen
from reports.text import noun

HEIGHT_PX = LOAD_PX + AROUND_PX
KINDS = ("sample", "missed", "unsteady")
"""The load after a trigger that is a sample, that was not recovered from, and that is no sample."""


def figure_json(
    lane: Recovery, found: Distribution, window: tuple[float, float], top_per_s: float
) -> str:
    """The chart of one lane, as plotly's JSON. A trace's `uid` becomes a class in the page."""
    chart = go.Figure(layout=_layout(lane, found, window, top_per_s))
    each = aligned(lane, window)
    for kind in KINDS:
        own = [one for one in each if _kind(one) == kind]
        if own:
            chart.add_scatter(
                x=_joined([one.t_s for one in own]),
                y=_joined([one.offered_per_s for one in own]),
                uid=kind,
                mode="lines",
                line={"shape": "hv", "width": 1.3},
            )
    if each:
        longest = max(each, key=lambda one: one.t_s.size)
        chart.add_scatter(
            x=short(longest.t_s),
            y=short(longest.capacity_per_s),
            uid="capacity",
            mode="lines",
            line={"shape": "hv", "width": 2},
        )
    text: str = chart.to_json(remove_uids=False)
    return text


def _kind(one: Aligned) -> str:
    """What the style sheet calls the load after a trigger."""
    sample, missed, unsteady = KINDS
    if one.episode.began_unsettled:
        return unsteady
    after = one.episode.figures.after
    return missed if after is not None and after.lost else sample


def _joined(rows: Sequence[Floats]) -> NDArray[np.generic]:
    """Several lines as one, with a gap between any two: plotly has one name for one line."""
    return short(np.concatenate([part for row in rows for part in (row, [np.nan])]))


def _layout(
    lane: Recovery, found: Distribution, window: tuple[float, float], top_per_s: float
) -> dict[str, object]:
    """No title and no legend: the page has them."""
    trigger = lane.trigger
    what = noun(trigger.type) if trigger else "trigger"
    return {
        **PAPER,
        "height": HEIGHT_PX,
        "margin": {"l": 56, "r": 14, "t": 8, "b": 44},
        "xaxis": {
            **AXIS,
            "title": {"text": f"seconds after the end of each {what}"},
            "showgrid": False,
            "range": list(window),
        },
        "yaxis": {
            **AXIS,
            "title": {"text": "attempts/s"},
            "range": [0, top_per_s],
            "tickformat": ",.0~f",
            "nticks": 6,
        },
        "shapes": _shapes(lane, found),
        "annotations": [_settled_label(found, window)],
    }


def _shapes(lane: Recovery, found: Distribution) -> list[Mark]:
    """The trigger, between what the median of settled lies, and the median itself."""
    length_s = lane.trigger.length_s if lane.trigger else 0.0
    shapes = [{**band(Event("", "", -length_s, 0.0), MARKS["fault"]), **WHOLE, "layer": "below"}]
    summary = found.summaries.get(SETTLED.name)
    if summary is None or summary.median.late:
        return shapes
    x = summary.median.amount
    line = {**WHOLE, "type": "line", "x0": x, "x1": x, "y1": 1 - LABEL_PX / LOAD_PX}
    return [*shapes, {**line, "line": pen(2, MARKS["settled"])}]


def _settled_label(found: Distribution, window: tuple[float, float]) -> Mark:
    """The median and how sure it is, or in how many it did not come about."""
    summary = found.summaries.get(SETTLED.name)
    if summary is None or summary.median.late:
        text, x = spreads.not_recovered(found) or words.NOT_MEASURED, window[1]
    else:
        parts = ("settled", spreads.median(SETTLED, found), spreads.interval(SETTLED, found))
        text, x = " ".join(filter(None, parts)), summary.median.amount
    side = "left" if x < sum(window) / 2 else "right"
    color = MARKS["lost" if summary and summary.median.late else "settled"]
    return {**label(text, x, 1, side, 0.9), "font": {"weight": 700, "color": color}}
