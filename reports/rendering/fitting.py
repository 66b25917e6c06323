"""A table that fits: no name goes, and no figure is cut, however narrow the terminal is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.align import VerticalAlignMethod
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

from reports.rendering import words

LEAST_NAME = 12
# A long name may break after these.
BREAKS = re.compile(r"(?<=[,:;/#+\s-])")
# From ten million on.
LARGE = re.compile(r"\d{2,3}(,\d{3}){2}|\d{1,3}(,\d{3}){3,}")
Cell = Text | str
Row = tuple[Text, list[Cell]]


@dataclass(frozen=True)
class Fitting:
    """Named rows of figures. Only the names may break.

    Where it is too wide, counts from ten million on are told in millions; where it still is, it
    becomes several tables, one beneath the other. The first `again` columns stand in each.
    """

    first: str
    titles: Sequence[str]
    rows: Sequence[Row]
    vertical: VerticalAlignMethod = "bottom"
    again: int = 0

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Table]:
        width = options.max_width
        rows = self.rows if self._fits(self.rows, width) else _shortened(self.rows)
        for columns in self._parts(rows, width):
            yield self._part(rows, columns, width)

    def _fits(self, rows: Sequence[Row], width: int) -> bool:
        widths = self._widths(rows)
        return self._room(widths, width) >= self._least_name()

    def _parts(self, rows: Sequence[Row], width: int) -> Iterator[list[int]]:
        """The numbers of the columns that stand beside each other."""
        widths = self._widths(rows)
        repeated = list(range(self.again))
        part = repeated
        for column in range(self.again, len(widths)):
            beside = [*part, column]
            room = self._room([widths[one] for one in beside], width)
            if room < self._least_name() and part != repeated:
                yield part
                beside = [*repeated, column]
            part = beside
        yield part

    def _part(self, rows: Sequence[Row], columns: Sequence[int], width: int) -> Table:
        widths = self._widths(rows)
        room = max(self._least_name(), self._room([widths[one] for one in columns], width))
        table = Table(box=box.SIMPLE_HEAD, padding=0)
        names = [broken(name, room) for name, _ in rows]
        least = max((_width(name.plain) for name in names), default=0)
        table.add_column(broken(Text(self.first), room), vertical=self.vertical, min_width=least)
        for one in columns:
            table.add_column(
                self.titles[one], justify="right", no_wrap=True, vertical=self.vertical
            )
        for name, (_, cells) in zip(names, rows, strict=True):
            table.add_row(name, *(cells[one] for one in columns))
        return table

    def _widths(self, rows: Sequence[Row]) -> list[int]:
        lines = [list(self.titles), *([str(cell) for cell in cells] for _, cells in rows)]
        return [max(map(_width, column)) for column in zip(*lines, strict=True)]

    def _least_name(self) -> int:
        names = [self.first, *(name.plain for name, _ in self.rows)]
        return min(LEAST_NAME, max(map(_width, names)))

    @staticmethod
    def _room(widths: Sequence[int], width: int) -> int:
        """What is left for the names."""
        return width - sum(widths) - len(widths) - 2


def _shortened(rows: Sequence[Row]) -> list[Row]:
    """With large counts in millions, styled as they were."""
    return [(name, [_short(cell) for cell in cells]) for name, cells in rows]


def _short(cell: Cell) -> Cell:
    lines = str(cell).split("\n")
    if not any(LARGE.fullmatch(line) for line in lines):
        return cell
    told = [
        words.millions(int(line.replace(",", ""))) if LARGE.fullmatch(line) else line
        for line in lines
    ]
    style = cell.style if isinstance(cell, Text) else ""
    return Text("\n".join(told), style)


def _width(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def broken(text: Text, width: int) -> Text:
    """`text` with line breaks where its parts end, so that no line is wider than `width`.

    A part that is wider by itself is broken anywhere.
    """
    lines = Text("\n").join(_fit(line, width) for line in text.split("\n"))
    lines.plain = "".join(c if c == "\n" else words.printable(c) for c in lines.plain)
    return lines


def _fit(line: Text, width: int) -> Text:
    """One line as several, none wider than `width`."""
    ends, start, place = [], 0, 0
    for part in BREAKS.split(line.plain):
        if place + len(part) - start > width and place > start:
            ends.append(place)
            start = place
        while place + len(part) - start > width:
            start += width
            ends.append(start)
        place += len(part)
    return Text("\n").join(piece for piece in line.divide(ends))
