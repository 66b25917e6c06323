"""Where the label of a point stands, so that labels do not cover each other."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 290.0, 370.0
"""The chart on a phone, in pixels, where there is the least room."""
OFFSET, SIZE = 15.0, 12.0
_SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1), (2, 0), (-2, 0))


@dataclass(frozen=True, slots=True)
class Spot:
    """A point as parts of the width and the height of the chart."""

    x: float
    y: float


def shifts(spots: Sequence[Spot], others: Sequence[Spot] = ()) -> list[tuple[float, float]]:
    """For each in order how far to the right and up, in pixels: where there is the most room.

    `others` are points without a label.
    """
    points = [(spot.x * WIDTH, spot.y * HEIGHT) for spot in spots]
    nearby = [*points, *((spot.x * WIDTH, spot.y * HEIGHT) for spot in others)]
    placed: list[tuple[float, float]] = []
    chosen = []
    for x, y in points:
        options = [(right * OFFSET, up * OFFSET) for right, up in _SIDES]
        right, up = max(options, key=lambda by: _room((x + by[0], y + by[1]), nearby, placed))
        placed.append((x + right, y + up))
        chosen.append((right, up))
    return chosen


def _room(
    at: tuple[float, float],
    points: Sequence[tuple[float, float]],
    labels: Sequence[tuple[float, float]],
) -> float:
    """The distance to what is nearest, as far as it matters; outside of the chart there is none."""
    if not (-SIZE <= at[0] <= WIDTH + SIZE and -SIZE <= at[1] <= HEIGHT + SIZE):
        return -1.0
    near = [_distance(at, other) for other in labels]
    near += [_distance(at, other) + 2.0 for other in points]
    return min([OFFSET, *near])


def _distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))
