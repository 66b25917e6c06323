"""What is published beside what is ours: the tables that every article comes to."""

from collections.abc import Iterable
from dataclasses import dataclass

NEVER = float("inf")
"""A time that did not come: no tick fitted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure beside ours.

    `published` is None where words are published and no figure. `least` and `most` bound what is
    right; None: nothing bounds it on this side. `met`: the two agree by those bounds.
    """

    of: str
    figure: str
    published: float | None
    ours: float
    least: float | None
    most: float | None
    met: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows of one kind. `bounds` heads the column of what is right, `note` says what that means.

    Without `bounds` the figures are to be the same.
    """

    title: str
    bounds: str
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curves:
    """What has no published figures beside it: a row for each of `at`, a column a curve.

    `digits` are those after the point.
    """

    title: str
    along: str
    at: tuple[int, ...]
    curves: dict[str, tuple[float, ...]]
    digits: int
    note: str = ""


Part = Comparison | Curves


def exactly(of: str, figure: str, published: float, ours: float) -> Row:
    """A row that is met by the same figure, to the digits that are published."""
    return Row(of, figure, published, ours, published, published, round(ours, 9) == published)


def near(of: str, figure: str, published: float, ours: float, share: float) -> Row:
    """A row that is met when ours is no further from the published figure than this share of it."""
    least, most = published * (1 - share), published * (1 + share)
    return Row(of, figure, published, ours, least, most, least <= ours <= most)


def among(
    of: str, figure: str, published: float, ours: float, bounds: tuple[float | None, float | None]
) -> Row:
    """A row that is met when the published figure lies within what ours came to."""
    least, most = bounds
    met = (least is None or least <= published) and (most is None or published <= most)
    return Row(of, figure, published, ours, least, most, met)


def rows_of(parts: Iterable[Part]) -> list[Row]:
    """Every row of these parts, in their order."""
    return [row for part in parts if isinstance(part, Comparison) for row in part.rows]
