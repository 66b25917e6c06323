"""The maps of a sweep in the terminal: characters for two axes, a table for one, sums for more."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import product

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from aftershock_units import format_number
from loadtests.imports import printable
from loadtests.simulation.sweep.axes import Axis
from loadtests.simulation.sweep.panels import Panel, panels_of, varying
from loadtests.simulation.sweep.telling import (
    MARKS,
    SPLIT_MARKS,
    against_order,
    counts,
    headline,
    incomplete,
    mark_of,
    meanings,
    split_meaning,
    worst_of,
)
from loadtests.simulation.sweep.verdict import Judged, Verdict

WIDTH = 78
MOST_ROWS = 40
MOST_LABEL = 16
_STYLES = {
    Verdict.RECOVERS: "green",
    Verdict.VULNERABLE: "yellow",
    Verdict.NEVER: "bold red",
    Verdict.INVALID: "magenta",
}
_MARK_STYLES = {
    marks[verdict]: style
    for marks in (MARKS, SPLIT_MARKS)
    for verdict, style in _STYLES.items()
    if verdict in marks
}


def render(judged: Judged, console: Console) -> None:
    """Print the maps, in at most 80 columns."""
    for line in legend(judged):
        console.print(line, width=min(console.width, WIDTH + 2))
    axes = len(varying(judged.sweep))
    for panel in panels_of(judged) if axes <= 2 else ():
        console.print()
        title = Text(printable(panel.title), "bold cyan").append(f": {counts(panel)}", "default")
        console.print(title, width=min(console.width, WIDTH + 2))
        if axes == 2:
            for line in map_lines(panel):
                console.print(line, no_wrap=True, overflow="ignore", crop=False)
        else:
            console.print(_table(panel, judged.sweep.runs))
    if axes > 2:
        for table in _sums(judged):
            console.print(table)


def legend(judged: Judged) -> Iterator[Text]:
    """What was found, and what the marks mean."""
    yield Text(headline(judged), "bold")
    if missing := incomplete(judged):
        yield Text(missing, "yellow")
    for verdict, meaning in meanings(judged).items():
        mark = Text(f"  {MARKS[verdict]}  {verdict.words}: ", _STYLES[verdict])
        yield mark.append(meaning, "default")
    if split := split_meaning(judged):
        yield Text(f"  {' '.join(SPLIT_MARKS.values())}  ").append(split)
    if odd := against_order(judged):
        yield Text(odd, "yellow")


def panel_text(panel: Panel, runs: int) -> str:
    """One map as plain text."""
    if panel.y is not None:
        return "\n".join(line.plain for line in map_lines(panel))
    text = StringIO()
    Console(file=text, width=WIDTH + 2, color_system=None).print(_table(panel, runs))
    return text.getvalue()


@dataclass(frozen=True)
class Blocks:
    """Values of an axis put together so that there are not too many: `each` in one block."""

    axis: Axis
    each: int

    @classmethod
    def of(cls, axis: Axis, most: int) -> "Blocks":
        """As few in a block as will do."""
        return cls(axis, -(-len(axis.values) // most))

    def __iter__(self) -> Iterator[slice]:
        for start in range(0, len(self.axis.values), self.each):
            yield slice(start, min(start + self.each, len(self.axis.values)))

    def label(self, block: slice) -> str:
        """Its first value, and its last where there are several."""
        values = self.axis.values[block]
        return values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"


def map_lines(panel: Panel) -> Iterator[Text]:
    """Rows of characters, the largest value on top. A block shows the worst of its cells."""
    assert panel.y is not None  # noqa: S101 - it is drawn only with two axes
    longest = max(len(value) for value in panel.y.values)
    label = min(MOST_LABEL, longest)
    columns = Blocks.of(panel.x, WIDTH - label - 2)
    rows = Blocks.of(panel.y, MOST_ROWS)
    yield Text(panel.y.path, "dim")
    for row in reversed(list(rows)):
        line = Text(f"{panel.y.values[row.start][:label]:>{label}} ", "dim").append("|")
        for column in columns:
            places = product(_places(row), _places(column))
            mark = worst_of(mark_of(panel, place) for place in places)
            line.append(mark, _MARK_STYLES.get(mark, ""))
        yield line
    count = len(list(columns))
    yield Text(" " * (label + 1) + "+" + "-" * count, "dim")
    ends = f"{panel.x.values[0]} to {panel.x.values[-1]}"
    yield Text(f"{' ' * (label + 2)}{panel.x.path}: {ends}", "dim")
    if columns.each > 1 or rows.each > 1:
        yield Text(
            f"{' ' * (label + 2)}each mark: the worst of {columns.each} × {rows.each} cells", "dim"
        )


def _places(block: slice) -> range:
    return range(block.start, block.stop)


def _table(panel: Panel, runs: int) -> Table:
    """One row a value, or a block of them."""
    table = _plain(panel.x.path, "verdict", "recovered", "settled", "failed")
    blocks = Blocks.of(panel.x, MOST_ROWS)
    for block in blocks:
        verdict = Verdict(int(panel.verdicts[0, block].max()))
        settled_s, failed = panel.settled_s[0, block], panel.failed_share[0, block] * 100
        table.add_row(
            blocks.label(block),
            Text(verdict.words, _STYLES.get(verdict, "")),
            f"{_range(panel.recovered[0, block])} of {runs}",
            _range(settled_s, " s"),
            _range(failed, "%"),
        )
    return table


def _range(numbers: np.ndarray[tuple[int], np.dtype[np.float64]], unit: str = "") -> str:
    known = numbers[np.isfinite(numbers)]
    if not known.size:
        return "-"
    low, high = (format_number(round(float(end), 1)) for end in (known.min(), known.max()))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _sums(judged: Judged) -> Iterator[Table]:
    """For every value of each axis the share of its cells that came to each end."""
    verdicts, sweep = judged.verdicts, judged.sweep
    for lane, policy in enumerate(sweep.lanes):
        for index in varying(sweep):
            axis = sweep.axes[index]
            blocks = Blocks.of(axis, MOST_ROWS)
            table = _plain(axis.path, *(verdict.words for verdict in _STYLES))
            table.title = Text(printable(policy), "bold cyan")
            for block in blocks:
                cells = np.take(verdicts[..., lane], _places(block), index)
                shares = [100 * np.count_nonzero(cells == v) / cells.size for v in _STYLES]
                table.add_row(blocks.label(block), *(f"{share:.0f}%" for share in shares))
            yield table


def _plain(first: str, *titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), title_justify="left")
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    return table
