"""The axes of a chart, and the numbers on them: few, round, and in the picture's font."""

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from reports.rendering.pictures import lettering
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.paper import SMALL, Box, Paper

STEPS = (1, 2, 5, 10)


def upward(paper: Paper, box: Box, x: tuple[float, float], top: float, most: int) -> Axes:
    """A chart from 0 to `top`, with so many numbers at most beside it."""
    axes = paper.axes(box)
    axes.set_xlim(*x)
    axes.set_ylim(0, top)
    axes.set_xticks([])
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=GREY, linewidth=0.8, zorder=5)
    ticks = [at for at in MaxNLocator(most, steps=STEPS).tick_values(0, top) if at <= top]
    font = lettering.font(SMALL)
    axes.set_yticks(ticks, [_number(tick) for tick in ticks], fontproperties=font, color=GREY)
    axes.tick_params(axis="y", length=3.5, width=0.8, color=GREY)
    return axes


def beneath(paper: Paper, box: Box, x: tuple[float, float], *, seen: bool) -> Axes:
    """A line beneath something else than a chart, with the same times."""
    axes = paper.axes(box)
    axes.set_xlim(*x)
    axes.set_yticks([])
    axes.set_xticks([])
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set(color=GREY, linewidth=0.8)
    axes.spines["bottom"].set_visible(seen)
    return axes


def times(axes: Axes, width: float) -> None:
    """Numbers along the bottom of a chart that is so wide."""
    low, high = axes.get_xlim()
    most = max(3, int(width / 60))
    found = MaxNLocator(most, steps=STEPS).tick_values(low, high)
    ticks = [at for at in found if low <= at <= high]
    font = lettering.font(SMALL)
    axes.set_xticks(ticks, [_number(tick) for tick in ticks], fontproperties=font, color=GREY)
    axes.tick_params(axis="x", length=3.5, width=0.8, color=GREY)


def _number(value: float) -> str:
    """A number on an axis: ``1,000``, ``−5``, ``0.5``."""
    text = f"{value:,.0f}" if value == round(value) else f"{value:,g}"
    return text.replace("-", "−")
