"""What is exported of a run or of several, piece by piece: pictures, tables, and Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reports.progress import Bar
from reports.reading.lines import RecordError
from reports.reading.read import read_record
from reports.reading.series import RunRecord
from reports.rendering.exports import tables
from reports.rendering.exports.writing import Table, whole, write_csv, write_parquet
from reports.rendering.markdown import markdown
from reports.rendering.study.markdown import to_markdown as study_markdown
from reports.several.paths import EXPORTED
from reports.several.study import Study
from reports.summary import Report, fold

if TYPE_CHECKING:
    from reports.rendering.pictures.framing import Picture

PICTURES, TABLES, MARKDOWN = ("svg", "png"), ("csv", "parquet"), "markdown"
FOLDER = EXPORTED
"""Beside the record, where nothing else is said."""
FORMATS = (*PICTURES, *TABLES, MARKDOWN)
Sheets = Sequence[tuple[str, str]]
"""The pictures that Markdown shows, each by its title and its file."""
SUMMARY, CAPTIONS = "summary.md", "captions.md"


@dataclass(frozen=True)
class Piece:
    """Some files that are written in one go."""

    names: tuple[str, ...]
    write: Callable[[Path], None]


def read(path: Path) -> tuple[RunRecord, Report]:
    """The record at `path`, a run's folder or its record, and its report. Raises `RecordError`."""
    record = read_record(path)
    try:
        return record, fold(record)
    except OverflowError:
        raise RecordError(f"{path}: a number in the record is too large to be a count") from None


def pieces_of_run(record: RunRecord, report: Report, formats: Sequence[str]) -> Iterator[Piece]:
    """Each says what it will write into a folder, and can."""

    def pictures() -> Sequence["Picture"]:
        # Here and not above: it takes a second to import what draws.
        from reports.rendering.pictures.pages import pictures_of  # noqa: PLC0415

        return pictures_of(report)

    told = partial(markdown, report)
    return _pieces(pictures, told, tables.of_run(record, report), formats)


def pieces_of_several(study: Study, formats: Sequence[str]) -> Iterator[Piece]:
    """Likewise, of what several runs say together."""

    def pictures() -> Sequence["Picture"]:
        # Here for the same reason.
        from reports.rendering.study.pictures import pictures_of  # noqa: PLC0415

        return pictures_of(study)

    return _pieces(pictures, partial(study_markdown, study), tables.of_several(study), formats)


def _pieces(
    pictures_of: Callable[[], Sequence["Picture"]],
    told: Callable[[Sheets], str],
    each: Sequence[Table],
    formats: Sequence[str],
) -> Iterator[Piece]:
    endings = [one for one in PICTURES if one in formats]
    pictures = pictures_of() if endings else []
    if MARKDOWN in formats:
        sheets = [(one.title, f"{one.name}.{endings[0]}") for one in pictures if one.sheet]
        yield _text(SUMMARY, lambda: told(sheets))
    if pictures:
        yield from _drawn(pictures, endings)
    for table in each:
        yield from (_table(table, ending) for ending in TABLES if ending in formats)


def write(pieces: Iterable[Piece], folder: Path, bar: Bar) -> list[Path]:
    """Write all pieces into the folder, and say so on the bar; the files, in their order."""
    each = list(pieces)
    bar.expect(sum(len(piece.names) for piece in each))
    folder.mkdir(parents=True, exist_ok=True)
    for piece in each:
        piece.write(folder)
        for _ in piece.names:
            bar.advance()
    return [folder / name for piece in each for name in piece.names]


def _table(table: Table, ending: str) -> Piece:
    name = f"{table.name}.{ending}"
    write = write_csv if ending == "csv" else write_parquet
    return Piece((name,), lambda to: write(table, to / name))


def _drawn(pictures: Sequence["Picture"], endings: Sequence[str]) -> Iterator[Piece]:
    # Here for the same reason.
    from reports.rendering.pictures.captions_file import captions_file  # noqa: PLC0415
    from reports.rendering.pictures.framing import saved  # noqa: PLC0415

    yield _text(CAPTIONS, lambda: captions_file(pictures, endings))
    for picture in pictures:

        def write(to: Path, picture: "Picture" = picture) -> None:
            for ending, drawn in saved(picture, endings):
                _write_bytes(to / f"{picture.name}.{ending}", drawn)

        yield Piece(tuple(f"{picture.name}.{ending}" for ending in endings), write)


def _text(name: str, made: Callable[[], str]) -> Piece:
    return Piece((name,), lambda to: _write_bytes(to / name, made().encode()))


def _write_bytes(path: Path, data: bytes) -> None:
    with whole(path) as part:
        part.write_bytes(data)
