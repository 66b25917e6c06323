"""What a prediction adds to the chart of a lane: its band, and its median as a line."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from reports.measuring.downsampling import drawn_ticks
from reports.measuring.recovery import Recovery
from reports.prediction import Band, PredictedLane
from reports.reading.series import Floats
from reports.rendering.beside_prediction import compare
from reports.rendering.plotting import short

NAMES = ("predicted-low", "predicted-band", "predicted-case", "predicted")
"""What the traces are called, from the bottom up: the style sheet has their colours."""


def add(chart: go.Figure, band: Band, tick_s: float, origin_s: float = 0.0) -> None:
    """Draw the band's edges over the load, and the median over them, with paper around it.

    `origin_s` is where in the chart the band counts its seconds from.
    """
    if not band.t_s:
        return
    kept = drawn_ticks([band.high_per_s], [band.low_per_s], [])
    x = short(np.append(np.array(band.t_s)[kept], band.t_s[-1] + tick_s) + origin_s)
    step = {"shape": "hv", "width": 1}
    low, high, median = (
        _closed(np.array(row)[kept]) for row in (band.low_per_s, band.high_per_s, band.median_per_s)
    )
    chart.add_scatter(x=x, y=low, uid=NAMES[0], mode="lines", line=step)
    chart.add_scatter(x=x, y=high, uid=NAMES[1], mode="lines", fill="tonexty", line=step)
    for uid, width in ((NAMES[2], 3.5), (NAMES[3], 1.5)):
        line = {"shape": "hv", "width": width}
        chart.add_scatter(x=x, y=median, uid=uid, name="predicted", mode="lines", line=line)


def _closed(row: Floats) -> NDArray[np.generic]:
    """The last tick needs an end, or its step would have no width."""
    return short(np.append(row, row[-1]))


def highest_per_s(lane: PredictedLane) -> float:
    """The upper end of the band."""
    return max(lane.band.high_per_s, default=0.0)


def described(policy: Recovery, lane: PredictedLane) -> str:
    """The prediction in words, for those who do not see it."""
    figures = [
        f"{one.title} {one.predicted} ({one.range})"
        for one in compare(policy, lane)
        if one.within is not None and one.title in ("peak", "first fit", "settled")
    ]
    return f" Predicted: {', '.join(figures)}."
