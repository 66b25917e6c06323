"""Draws one lane: its load against its capacity, what an operator did, its queue; labels above."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from reports.measuring.downsampling import thinned
from reports.measuring.recovery import Drawn
from reports.reading.series import Floats
from reports.rendering.layers import layers_of
from reports.rendering.palette import LIGHT, MARKS
from reports.rendering.pictures import scales
from reports.rendering.pictures.moments import GREY
from reports.rendering.pictures.panel import (
    BAR,
    GAP,
    LEFT,
    QUEUE,
    ROW,
    TICKS_BELOW,
    Panel,
    Room,
    capacity,
)
from reports.rendering.pictures.paper import INK, LABEL, SMALL, Box, Paper

CAPACITY, QUEUE_FILL, THROUGH = "#16191d", "#c9d3de", "#44546a"
DOTTED = (0, (1, 1.4))


@dataclass(frozen=True)
class _Drawing:
    """A panel on its paper, its labels from `top` on; `box` is where its load is drawn."""

    panel: Panel
    room: Room
    paper: Paper
    left: float
    top: float

    @property
    def box(self) -> Box:
        return Box(self.left + LEFT, self.top + self.room.above, self.panel.inner, self.panel.load)

    @property
    def bars(self) -> Box:
        height = self.room.bar_rows * BAR + GAP / 2 if self.room.bar_rows else 0.0
        return Box(self.box.left, self.box.bottom, self.panel.inner, height)

    @property
    def queue(self) -> Box:
        return Box(self.box.left, self.bars.bottom + GAP, self.panel.inner, QUEUE)

    def axes(self, box: Box, top: float, title: str, most: int) -> Axes:
        axes = scales.upward(self.paper, box, self.panel.scale.x, top, most)
        self.paper.upright(title, self.left + 8, box.top + box.height / 2, SMALL, GREY)
        return axes


def draw(panel: Panel, room: Room, paper: Paper, left: float, top: float) -> None:
    """Draw a panel whose labels begin at `top`, in points from the top of the paper."""
    one = _Drawing(panel, room, paper, left, top)
    drawn = thinned(panel.policy.drawn, panel.ticks)
    x = _times(drawn, panel)
    upper = one.axes(one.box, panel.scale.top_per_s, "attempts/s", 5 if panel.load > 150 else 4)
    _bands(one, upper)
    if x.size:
        load(upper, drawn, x)
    _moments(one, upper)
    _capacity_label(one)
    _operator(one)
    lowest, bottom = upper, one.box.bottom
    if panel.bars:
        lowest, bottom = (
            scales.beneath(paper, one.bars, panel.scale.x, seen=not panel.queued),
            one.bars.bottom,
        )
    if panel.queued:
        lowest, bottom = one.axes(one.queue, panel.scale.queue, "queue", 2), one.queue.bottom
        if x.size:
            _filled(lowest, x, drawn.queue, QUEUE_FILL)
            lowest.plot(*_steps(x, drawn.queue), color=GREY, linewidth=0.8)
    scales.times(lowest, panel.inner)
    middle = one.box.left + panel.inner / 2
    paper.text(panel.marks.since, middle, bottom + TICKS_BELOW + 11, SMALL, GREY, align="center")


def _times(drawn: Drawn, panel: Panel) -> Floats:
    """Where each tick begins, and where the last one ends, or its step would have no width."""
    if not drawn.t_s.size:
        return drawn.t_s
    return np.append(drawn.t_s, drawn.t_s[-1] + panel.report.run.tick_s)


def _steps(x: Floats, row: Floats) -> tuple[Floats, Floats]:
    """The corners of a line of steps, without those that do not turn."""
    turns = np.flatnonzero(np.diff(row) != 0) + 1
    begins = np.concatenate([[0], turns])
    ends = np.concatenate([turns, [row.size]])
    return np.column_stack([x[begins], x[ends]]).ravel(), np.repeat(row[begins], 2)


def _filled(axes: Axes, x: Floats, row: Floats, color: str) -> None:
    """A line of steps, and what is beneath it."""
    at, high = _steps(x, row)
    axes.fill(
        np.concatenate([at[:1], at, at[-1:]]),
        np.concatenate([[0.0], high, [0.0]]),
        color=color,
        linewidth=0,
    )


def load(axes: Axes, drawn: Drawn, x: Floats) -> None:
    """The layers, the highest first: each is filled from the ground, so that no seam shows."""
    layers = layers_of(drawn)
    total = sum(layers.values(), np.zeros(drawn.t_s.size))
    for name, row in reversed(layers.items()):
        _filled(axes, x, total, LIGHT[name])
        total = total - row
    axes.plot(*_steps(x, drawn.capacity_per_s), color=CAPACITY, linewidth=1.5)
    if np.isfinite(drawn.let_through_per_s).any():
        through = _steps(x, drawn.let_through_per_s)
        axes.plot(*through, color=THROUGH, linewidth=1.2, linestyle=(0, (4, 2)))


def _bands(one: _Drawing, axes: Axes) -> None:
    """From the bottom of the chart to its highest label."""
    top = 1 + (one.room.above - 2) / one.box.height
    for band in one.panel.marks.bands:
        axes.axvspan(
            band.start_s, band.end_s, 0, top,
            color=MARKS[band.kind], alpha=0.1, linewidth=0, zorder=0.5, clip_on=False,
        )  # fmt: skip


def _moments(one: _Drawing, axes: Axes) -> None:
    """A line up to each label, and the label beside it."""
    floor = one.top + one.room.above - 6
    placed = {(label.label.text, label.label.x): label for label in one.panel.labels}
    for moment in one.panel.marks.moments:
        label = placed.get((moment.text, one.panel.x_of(moment.at_s)))
        if moment.line:
            rows = label.row + 1 if label else 0
            reach = 1 + (rows * ROW - 2) / one.box.height
            axes.plot(
                [moment.at_s] * 2, [0, reach], transform=axes.get_xaxis_transform(),
                linestyle=DOTTED if moment.line == "dotted" else "solid",
                color=moment.color, linewidth=1.5, clip_on=False, zorder=4,
            )  # fmt: skip
        if label:
            one.paper.text(
                moment.text, one.left + label.left, floor - label.row * ROW, LABEL, moment.color,
                bold=moment.bold, haloed=bool(moment.line),
            )  # fmt: skip


def _capacity_label(one: _Drawing) -> None:
    """Beside the line where it ends."""
    share = one.panel.policy.capacity_per_s / one.panel.scale.top_per_s
    at = one.box.bottom - share * one.box.height - 2
    for place, text in enumerate(capacity(one.panel.policy)):
        one.paper.text(text, one.box.right + 5, at + place * 12.5, SMALL, INK)


def _operator(one: _Drawing) -> None:
    """Bars of what an operator did, with what they are."""
    panel, top = one.panel, one.box.bottom + GAP / 2
    if panel.bars:
        one.paper.text("operator", one.box.left - 5, top + BAR - 5, SMALL, GREY, align="right")
    for event, bar in zip(panel.policy.drawn.actions, panel.bars, strict=True):
        at, end = bar.label.x, panel.x_of(event.end_s)
        y = top + bar.row * BAR
        box = Box(one.left + at, y, max(1.5, end - at), BAR - 3)
        one.paper.block(box, MARKS["action"], alpha=0.22)
        one.paper.text(bar.label.text, one.left + bar.left, y + 10.5, SMALL, INK)
