"""What all charts have in common: clear paper, the page's font, and axes that nobody can drag."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.reading.series import Floats

PAPER: Mapping[str, object] = {
    "template": "none",
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"family": "system-ui, sans-serif", "size": 12.5},
    "showlegend": False,
}
"""Of a layout. No title and no legend: the page has them."""
AXIS: Mapping[str, object] = {
    "fixedrange": True,
    "zeroline": False,
    "ticks": "outside",
    "ticklen": 4,
}
CLEAR = {name: value for name, value in PAPER.items() if name != "template"}
"""Likewise, of a figure that plotly's own classes do not write: a name of a template is theirs."""


def closed(row: Floats) -> Floats:
    """The last tick needs an end, or its step would have no width."""
    return np.append(row, row[-1])


def short(values: ArrayLike) -> NDArray[np.generic]:
    """The numbers of a chart in as few bytes as tell them apart at any width of a page.

    Whole ones stay exact; of others seven digits do.
    """
    numbers = np.asarray(values)
    whole = numbers.astype(np.int32) if _fits(numbers) else None
    if whole is not None and (whole == numbers).all():
        return whole.astype(np.int16) if np.abs(whole).max(initial=0) < 2**15 else whole
    return numbers.astype(np.float32)


def _fits(numbers: NDArray[np.generic]) -> bool:
    return bool(np.isfinite(numbers).all() and (np.abs(numbers) < 2**31).all())
