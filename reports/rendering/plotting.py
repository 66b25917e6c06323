"""What all charts have in common: clear paper, the page's font, and axes that nobody can drag."""

from collections.abc import Mapping

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
