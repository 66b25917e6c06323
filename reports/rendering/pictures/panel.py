"""One lane in a picture: how much room it takes, and where its labels stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reports.measuring.recovery import Recovery
from reports.rendering import triggers, words
from reports.rendering.marks import rows_of
from reports.rendering.pictures import lettering
from reports.rendering.pictures.moments import Marked, marked
from reports.rendering.pictures.paper import INK, LABEL, SMALL
from reports.rendering.pictures.placing import Label, Placed, placed, row_count
from reports.summary import Report

LEFT, TICKS_BELOW, TIMES_BELOW = 58.0, 20.0, 18.0
ROW, BAR, QUEUE, GAP = 15.5, 17.0, 50.0, 9.0


@dataclass(frozen=True)
class Scale:
    """The ends of the axes, the same for all lanes of a picture; `x` in the picture's seconds."""

    x: tuple[float, float]
    top_per_s: float
    queue: float


@dataclass(frozen=True)
class Panel:
    """A lane in a picture of this width; `load` is how high its chart is, in points.

    `ticks` are the most that are drawn of it.
    """

    policy: Recovery
    report: Report
    scale: Scale
    width: float
    load: float
    ticks: int
    marks: Marked = field(init=False)
    labels: tuple[Placed, ...] = field(init=False)
    bars: tuple[Placed, ...] = field(init=False)
    right: float = field(init=False)

    def __post_init__(self) -> None:
        """Place its labels: how high it is depends on them."""
        object.__setattr__(self, "marks", marked(self.policy, self.report))
        object.__setattr__(self, "right", _right(self.policy))
        object.__setattr__(self, "labels", tuple(self._labels()))
        object.__setattr__(self, "bars", tuple(self._bars()))

    @property
    def inner(self) -> float:
        """How wide its chart is."""
        return self.width - LEFT - self.right

    @property
    def rows(self) -> int:
        """Rows of labels above the chart."""
        return row_count(self.labels)

    @property
    def bar_rows(self) -> int:
        """Rows of what an operator did, beneath it."""
        return row_count(self.bars)

    @property
    def queued(self) -> bool:
        """Whether it has a queue to show."""
        return bool(self.policy.service.longest_queue)

    def _labels(self) -> Sequence[Placed]:
        return placed(
            (
                Label(
                    moment.text,
                    self.x_of(moment.at_s),
                    lettering.width(moment.text, LABEL, bold=moment.bold),
                    moment.color,
                    bold=moment.bold,
                    stem=bool(moment.line),
                    needed=moment.needed,
                )
                for moment in self.marks.moments
            ),
            LEFT,
            self.width,  # above the capacity's label is room for that of the last moment
        )

    def _bars(self) -> Sequence[Placed]:
        """What an operator did, each with its words from where it begins."""
        found: list[tuple[Label, float]] = []
        extents: list[tuple[float, float]] = []
        for event in self.policy.drawn.actions:
            text = lettering.drawable(triggers.action(event))
            start, end = self.x_of(event.start_s), self.x_of(event.end_s)
            wide = lettering.width(text, SMALL)
            at = max(LEFT, min(start + 4, self.width - self.right - wide))
            extents.append((min(start, at), max(end, at + wide) + 6))
            found.append((Label(text, start, wide, INK), at))
        rows = rows_of(extents)
        return [Placed(label, row, at) for (label, at), row in zip(found, rows, strict=True)]

    def x_of(self, at_s: float) -> float:
        """Where a moment is, in points from the left of the panel."""
        low, high = self.scale.x
        inside = min(max(at_s, low), high)
        return LEFT + (inside - low) / (high - low) * self.inner


@dataclass(frozen=True)
class Room:
    """What the panels beside each other take, so that their axes stand on one line."""

    rows: int
    bar_rows: int
    queued: bool

    @staticmethod
    def of(panels: Sequence[Panel]) -> "Room":
        """The most of any of them."""
        return Room(
            max(panel.rows for panel in panels),
            max(panel.bar_rows for panel in panels),
            any(panel.queued for panel in panels),
        )

    def height(self, load: float) -> float:
        """Of a panel, without what is written over it."""
        return self.above + load + self.beneath + TICKS_BELOW + TIMES_BELOW

    @property
    def above(self) -> float:
        """Of the labels."""
        return self.rows * ROW + 3

    @property
    def beneath(self) -> float:
        """Of the bars and the queue."""
        bars = self.bar_rows * BAR + GAP / 2 if self.bar_rows else 0.0
        return bars + (QUEUE + GAP if self.queued else 0.0)


def capacity(policy: Recovery) -> tuple[str, str]:
    """The label of the capacity, in two lines."""
    return "capacity", words.rate(policy.capacity_per_s)


def _right(policy: Recovery) -> float:
    """Room for the label of the capacity."""
    return 10 + max(lettering.width(text, SMALL) for text in capacity(policy))
