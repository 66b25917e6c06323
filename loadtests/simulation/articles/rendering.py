"""An article on the terminal: what is published beside ours, within 80 columns."""

from collections.abc import Iterator
from math import isinf

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from loadtests.simulation.articles.article import Played
from loadtests.simulation.articles.comparison import Comparison, Curves, Row, rows_of

WIDTH = 80


def render(played: Played, console: Console) -> None:
    """Print the tables, where they come from, and whether all figures are reproduced."""
    article = played.article
    parts: list[RenderableType] = [Text(f"{article.name}: {article.title}", style="bold")]
    for part in played.parts:
        table = _comparison(part) if isinstance(part, Comparison) else _curves(part)
        parts += [Text(f"\n{part.title}", style="bold"), table]
        if part.note:
            parts.append(Text(part.note, style="dim"))
    parts += [Text(f"\nPublished: {article.source}.", style="dim")]
    parts += [Text(f"Units: {article.units}.", style="dim"), _verdict(played)]
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _comparison(comparison: Comparison) -> Table:
    """What a row is about stands in the first of those that share it."""
    table = _table("", "figure")
    for heading in ("published", "ours", *_if_any(comparison.bounds)):
        table.add_column(heading, justify="right")
    table.add_column("")
    before = ""
    for row in comparison.rows:
        table.add_row(
            "" if row.of == before else row.of,
            row.figure,
            "" if row.published is None else number(row.published),
            number(row.ours),
            *_if_any(_bounds(row) if comparison.bounds else ""),
            _met(row, comparison),
            style="" if row.met else "red",
        )
        before = row.of
    return table


def _curves(curves: Curves) -> Table:
    table = _table()
    for heading in (curves.along, *curves.curves):
        table.add_column(heading, justify="right")
    for row, at in enumerate(curves.at):
        figures = (curve[row] for curve in curves.curves.values())
        table.add_row(f"{at:,}", *(f"{figure:,.{curves.digits}f}" for figure in figures))
    return table


def _table(*left: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in left:
        table.add_column(heading)
    return table


def _met(row: Row, comparison: Comparison) -> str:
    if not row.met:
        return "MISSED"
    return "within" if comparison.bounds else "same"


def _if_any(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _bounds(row: Row) -> str:
    least = "" if row.least is None else number(row.least)
    most = "" if row.most is None else number(row.most)
    if least == most:
        return least
    return f"from {least}" if not most else f"{least}–{most}" if least else f"to {most}"


def number(value: float) -> str:
    """``1,508``, ``376.21``, ``0.95``: no more digits than say something."""
    if isinf(value):
        return "never"
    if abs(value) >= 1000 or round(float(value), 6).is_integer():
        return f"{value:,.0f}"
    return f"{value:.2f}"


def _verdict(played: Played) -> Text:
    missed = played.missed
    every = len(rows_of(played.parts))
    if not missed:
        return Text(f"\nAll {every} figures are reproduced.", style="green")
    said = "; ".join(_named(missed))
    return Text(f"\n{len(missed)} of {every} figures are MISSED: {said}.", style="red")


def _named(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        yield f"{row.of}, {row.figure}"
