"""Labels above a chart, each at its moment and none over another: rows as they are needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

GAP = 4.0
"""Between a moment and its label, and between two labels in a row, in points."""


@dataclass(frozen=True)
class Label:
    """A text of this width at `x`. A `stem` leads up to it from the chart.

    One that is not `needed` is left out where there is no room in the rows that there are.
    """

    text: str
    x: float
    width: float
    color: str
    bold: bool = False
    stem: bool = True
    needed: bool = True


@dataclass(frozen=True)
class Placed:
    """A label in a row, counted from the chart upward; its text begins at `left`."""

    label: Label
    row: int
    left: float

    @property
    def right(self) -> float:
        """Where the text ends."""
        return self.left + self.label.width


def placed(labels: Iterable[Label], left: float, right: float, spare: int = 2) -> list[Placed]:
    """Place labels between `left` and `right`, the first one first, each as low as it can be.

    No text lies over another, and no stem runs through one, unless a label that is needed has no
    other place: its stem then passes behind. Labels that are not needed have `spare` rows at most.
    """
    found: list[Placed] = []
    for label in labels:
        rows = 1 + max((one.row for one in found), default=-1)
        limit = rows + 1 if label.needed else max(rows, spare)
        sides = _sides(label, left, right)
        tries = [Placed(label, row, at) for at in sides for row in range(limit)]
        free = [one for one in tries if _is_free(one, found)]
        if free:
            found.append(free[0])
        elif label.needed:
            found.append(Placed(label, rows, sides[0]))
    return found


def row_count(found: Sequence[Placed]) -> int:
    """How many rows they take."""
    return 1 + max((one.row for one in found), default=-1)


def _sides(label: Label, left: float, right: float) -> list[float]:
    """Where the text may begin: right of its moment, or left of its stem; else where it fits."""
    after, before = label.x + GAP, label.x - GAP - label.width
    if not label.stem:
        return [max(left, min(after, right - label.width))]
    found = [at for at in (after, before) if left <= at and at + label.width <= right]
    return found or [max(left, min(after, right - label.width))]


def _is_free(one: Placed, others: Sequence[Placed]) -> bool:
    return not any(_meet(one, other) for other in others)


def _meet(one: Placed, other: Placed) -> bool:
    """Whether two texts lie over each other, or the stem of the higher runs through the lower."""
    if one.row == other.row:
        return one.left < other.right + GAP and other.left < one.right + GAP
    low, high = sorted((one, other), key=lambda each: each.row)
    return high.label.stem and low.left - 1 < high.label.x < low.right + 1
