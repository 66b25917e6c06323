"""A comparison in the terminal, readable at 80 columns and when piped."""

from collections.abc import Iterator

from rich.console import Console, Group
from rich.text import Text

from reports.judging.differences.comparison import Comparison
from reports.judging.differences.row import Row, Verdict
from reports.rendering import words
from reports.rendering.differences import cells, sentences
from reports.rendering.fitting import Cell, Fitting
from reports.rendering.fitting import Row as Line
from reports.rendering.tables import WIDTH
from reports.rendering.terminal import in_colour

_COLOURS = {Verdict.BETTER: "bold green", Verdict.WORSE: "bold red"}
_WIDE = 16


def render(found: Comparison, console: Console) -> None:
    """Print what it comes to, what has to be known, and a row for each measure of each lane."""
    parts: list[Text | Fitting] = [*_sides(found), Text()]
    parts.append(in_colour(sentences.outcome(found), "bold red" if found.worse else "bold"))
    parts += [in_colour(said, "yellow") for said in sentences.warnings(found)]
    parts.append(_table(found))
    parts += [in_colour(said) for said in sentences.remarks(found)]
    parts += [in_colour(said, "dim") for said in [sentences.method(found)] if said]
    console.print(Group(*parts), width=min(console.width, WIDTH))


def _sides(found: Comparison) -> Iterator[Text]:
    for side in (found.base, found.new):
        yield Text(words.printable(sentences.runs(side)))
        yield from (in_colour(f"  - {said}", "dim") for said in sentences.left_out(side))


def _table(found: Comparison) -> Fitting:
    titles = ["BASE", "NEW", "difference", "p", "would tell", ""]
    rows: list[Line] = []
    for lane in found.lanes:
        rows.append((Text(lane.lane, "cyan"), [""] * len(titles)))
        for row in lane.rows:
            named = Text(f"  {row.measure.brief or row.measure.title}")
            rows.append((named, _cells(row)))
    return Fitting("", titles, rows, vertical="top")


def _cells(row: Row) -> list[Cell]:
    return [
        *cells.medians(row),
        _lines(cells.shift(row), _split(cells.interval(row))),
        cells.p_value(row),
        _lines(cells.needed(row), cells.more(row)),
        Text(_broken(cells.verdict(row)), _COLOURS.get(row.verdict, "")),
    ]


def _lines(*each: str) -> str:
    return "\n".join(filter(None, each))


def _split(interval: str) -> str:
    """On two lines where it is wide."""
    return interval.replace(" to ", "\nto ") if len(interval) > _WIDE else interval


def _broken(verdict: str) -> str:
    """On two lines as even as can be, where there are more than two words."""
    told = verdict.split(" ")
    if len(told) <= 2:
        return verdict
    ways = [(" ".join(told[:place]), " ".join(told[place:])) for place in range(1, len(told))]
    return "\n".join(min(ways, key=lambda way: max(map(len, way))))
