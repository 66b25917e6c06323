"""Peaks that are narrower than a pixel, drawn as lines: an area so narrow would be hardly seen."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reports.measuring.recovery import Drawn
from reports.reading.series import Floats

PIXELS = 900
"""A chart is at most about so wide."""
Line = tuple[str, Floats, Floats]


def needles(drawn: Drawn, layers: Mapping[str, Floats], tick_s: float) -> Iterator[Line]:
    """For each layer its part of every such peak above capacity: name, x and y, with gaps."""
    total = drawn.by_attempt_per_s.sum(axis=0)
    places = np.flatnonzero(_is_peak(total, drawn) & _is_narrow(drawn.t_s, tick_s))
    below = np.zeros(places.size)
    for name, row in layers.items():
        above = below + row[places]
        seen = above > below
        middle = drawn.t_s[places][seen] + tick_s / 2
        if middle.size:
            gap = np.full(middle.size, np.nan)
            yield (
                name,
                np.stack([middle, middle, gap], axis=1).ravel(),
                np.stack([below[seen], above[seen], gap], axis=1).ravel(),
            )
        below = above


def _is_peak(total: Floats, drawn: Drawn) -> NDArray[np.bool_]:
    """Above capacity, and no lower than the ticks drawn before it and after it."""
    edged = np.concatenate([[-np.inf], total, [-np.inf]])
    highest = (total >= edged[:-2]) & (total >= edged[2:])
    return highest & (total > drawn.capacity_per_s)


def _is_narrow(t_s: Floats, tick_s: float) -> NDArray[np.bool_]:
    """Whether it is drawn in less than a pixel."""
    widths = np.diff(t_s, append=t_s[-1] + tick_s)
    return np.asarray(widths < (t_s[-1] - t_s[0]) / PIXELS)
