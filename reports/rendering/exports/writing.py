"""Writes tables as CSV and Parquet: whole or not at all, one frame at a time."""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from reports.rendering.columns import FORMULA
from reports.rendering.files import replaceable

_RUNS = f"^[{re.escape(''.join(FORMULA))}]"


@dataclass(frozen=True)
class Table:
    """A table by its name; `frames` makes its parts, one after the other."""

    name: str
    frames: Callable[[], Iterable[pl.DataFrame]]


def write_csv(table: Table, path: Path) -> None:
    """With a header, and without a text that a spreadsheet would run: see `unformulated`."""
    with whole(path) as part, part.open("wb") as file:
        for number, frame in enumerate(table.frames()):
            _unformulated(frame).write_csv(file, include_header=not number)


def write_parquet(table: Table, path: Path) -> None:
    """Texts as they are. Each frame is written by itself and then they are joined as a stream."""
    with whole(path) as part, tempfile.TemporaryDirectory(dir=path.parent) as folder:
        parts = []
        for number, frame in enumerate(table.frames()):
            parts.append(Path(folder) / f"{number}.parquet")
            frame.write_parquet(parts[-1])
        if parts:
            pl.scan_parquet(parts).sink_parquet(part)


def _unformulated(frame: pl.DataFrame) -> pl.DataFrame:
    """As `reports.rendering.columns.unformulated` of every text."""
    return frame.with_columns(
        pl.when(pl.col(name).str.contains(_RUNS))
        .then(pl.concat_str(pl.lit("'"), name))
        .otherwise(name)
        .alias(name)
        for name, kind in frame.schema.items()
        if kind == pl.String
    )


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` in one step when it is complete, or leaves no trace."""
    end = replaceable(path)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=end.parent) as folder:
        part = Path(folder) / path.name
        yield part
        part.replace(end)
