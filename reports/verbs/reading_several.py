"""Reads several runs into a study, and says where its files go."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from reports.progress import Bar
from reports.reading.lines import RecordError
from reports.reading.read import record_path
from reports.several.study import Study
from reports.several.studying import study_of
from reports.summary import Report, build_report


def read_study(runs: Sequence[Path], errors: Console) -> Study:
    """The study of these runs, read one by one. Raises `RecordError`, naming a run, `StudyError`.

    How far it is stands in the terminal `errors` when that takes more than two seconds.
    """
    with Bar(errors, "runs", len(runs)) as bar:
        return study_of(_reports(runs, bar))


def _reports(runs: Sequence[Path], bar: Bar) -> Iterator[Report]:
    for run in runs:
        try:
            yield build_report(run)
        except RecordError as error:
            said = str(error)
            raise RecordError(said if said.startswith(str(run)) else f"{run}: {said}") from None
        bar.advance()


def common_folder(runs: Sequence[Path]) -> Path:
    """The folder in which all of the runs lie, however deep."""
    folders = [record_path(run).resolve().parent for run in runs]
    return Path(os.path.commonpath([folder.parent for folder in folders]))
