"""Writes the report beside its record: whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from reports.prediction import Prediction
from reports.reading.read import record_path
from reports.record import HTML_NAME, JSON_NAME
from reports.rendering.html import to_html
from reports.rendering.to_json import to_json
from reports.summary import Report, build_report


def write_report(
    path: Path,
    prediction: Prediction | None = None,
    to: Path | None = None,
    *,
    so_far: bool = False,
) -> Report:
    """Write `report.html` and `report.json` beside the record at `path`; return the report.

    They go into the folder `to` instead, where it is given. With a `prediction` they show it beside
    what was measured. `so_far`: the run may go on. Raises `RecordError` when there is no record
    that could be read, `OSError` when writing fails.
    """
    report = replace(build_report(path, so_far=so_far), prediction=prediction)
    write_files(report, to or record_path(path).parent)
    return report


def write_files(report: Report, folder: Path) -> None:
    """Write `report.html` and `report.json` into `folder`. Raises `OSError` when that fails."""
    write_together({folder / JSON_NAME: to_json(report), folder / HTML_NAME: to_html(report)})


def write_whole(path: Path, text: str) -> None:
    """Replace `path` in one step, so that nobody ever reads half of it; make its folder."""
    write_together({path: text})


def write_together(texts: Mapping[Path, str]) -> None:
    """As `write_whole`, several files; none of them where there is no room for all."""
    with ExitStack() as stack:
        parts = [(stack.enter_context(_part(path, text)), path) for path, text in texts.items()]
        for part, path in parts:
            part.replace(replaceable(path))


def replaceable(path: Path) -> Path:
    """The file that `path` leads to, which may be replaced or made.

    Links stay. Raises `OSError` for what is there and no file, as a device: whatever reads from it
    would be cut off.
    """
    end = Path(os.path.realpath(path))
    if os.path.lexists(end) and not end.is_file():
        raise OSError(errno.EINVAL, "it is there and is no file", str(path))
    return end


@contextmanager
def _part(path: Path, text: str) -> Iterator[Path]:
    """The text beside the file that it is to become; gone afterwards if it did not."""
    end = replaceable(path)
    end.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=end.parent, prefix=f".{end.name[:64]}.")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        part.chmod(0o644)
        yield part
    finally:
        part.unlink(missing_ok=True)
