"""Writes the report beside its record: whole or not at all."""

import os
import tempfile
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
    write_whole(folder / JSON_NAME, to_json(report))
    write_whole(folder / HTML_NAME, to_html(report))


def write_whole(path: Path, text: str) -> None:
    """Replace `path` in one step, so that nobody ever reads half of it; make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
