"""What is drawn in the small charts of a picture: the load of a lane, and its curve."""

from functools import partial

from matplotlib.axes import Axes

from reports.measuring.recovery import Recovery
from reports.rendering.marks import end_color
from reports.rendering.palette import MARKS
from reports.rendering.pictures import drawing, scales
from reports.rendering.pictures.heading import CURVES
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.paper import SMALL, Box, Paper
from reports.rendering.study import settled_within
from reports.rendering.study.grid import Scale, within
from reports.rendering.study.multiples import BELOW, LEFT, Draw
from reports.several.study import Condition, StudiedLane

MOST_TICKS = 600


def load(lane: StudiedLane, scale: Scale | None) -> Draw | None:
    """Its offered load against capacity in the run that is drawn; `None` where there is none."""
    if scale is None or lane.drawn is None or not lane.disturbed:
        return None
    return partial(_load, lane.drawn, scale)


def curve(lane: StudiedLane, condition: Condition, until_s: float) -> Draw | None:
    """In which share of its samples it had settled by when, before those of the other lanes."""
    return partial(_curve, lane, condition, until_s) if lane.disturbed else None


def _load(lane: Recovery, scale: Scale, paper: Paper, box: Box) -> None:
    from_s, until_s, top_per_s = scale
    axes = _axes(paper, box, (from_s, until_s), top_per_s, "attempts/s")
    for fault in lane.drawn.faults:
        axes.axvspan(
            fault.start_s, fault.end_s, color=MARKS["fault"], alpha=0.1, linewidth=0, zorder=0.5
        )
    drawn, ends = within(lane, scale, MOST_TICKS)
    if ends.size:
        drawing.load(axes, drawn, ends)
    if lane.after:
        at_s = min(lane.after.marked_s, until_s)
        axes.axvline(at_s, color=end_color(lane.after), linewidth=1.8, zorder=4)


def _curve(lane: StudiedLane, condition: Condition, until_s: float, paper: Paper, box: Box) -> None:
    axes = _axes(paper, box, (0.0, until_s), 105.0, "% settled")
    for other in condition.lanes:
        if other is not lane and other.disturbed:
            _line(axes, other, until_s, "others")
    _line(axes, lane, until_s, "own")


def _line(axes: Axes, lane: StudiedLane, until_s: float, kind: str) -> None:
    x, y = settled_within.steps(lane, until_s)
    color, width = CURVES[kind]
    percent = [100 * (share or 0.0) for share in y]
    axes.step([at or 0.0 for at in x], percent, where="post", color=color, linewidth=width)


def _axes(paper: Paper, box: Box, x: tuple[float, float], top: float, title: str) -> Axes:
    axes = scales.upward(paper, box, x, top, 4)
    scales.times(axes, box.width)
    paper.upright(title, box.left - LEFT + 6, box.top + box.height / 2, SMALL, GREY)
    middle, foot = box.left + box.width / 2, box.bottom + BELOW - 12
    paper.text("seconds after the disturbance", middle, foot, SMALL, GREY, align="center")
    return axes
