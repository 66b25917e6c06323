"""Simulated runs as files: record and report of one, or what many say; whole or not at all."""

import shutil
from itertools import islice
from pathlib import Path

from rich.console import Console

from loadtests.rundir import make_run_dir
from loadtests.simulation.lines import lines_of
from loadtests.simulation.metered import Simulated, record_of
from reports.progress import Bar
from reports.record import RECORD_NAME, RecordWriter
from reports.rendering.exports.exporting import FOLDER, FORMATS, pieces_of_several, write
from reports.rendering.files import write_files
from reports.rendering.study.writing import write_study as write_study_files
from reports.several.study import Study
from reports.summary import Report, fold

LINES_AT_ONCE = 1000


def write_run(run: Simulated, runs_dir: Path, epoch_s: float) -> tuple[Path, Report]:
    """Write record and report into a new folder of `runs_dir`; returns both, folder and report.

    Whatever comes between, an error or Ctrl-C, leaves no folder. Raises `OSError`.
    """
    report = fold(record_of(run))
    folder = make_run_dir(runs_dir, epoch_s)
    try:
        _write_record(run, folder)
        write_files(report, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # it is new, and all that is in it is ours
        raise
    return folder, report


def write_study(study: Study, runs_dir: Path, epoch_s: float, *, exported: bool) -> Path:
    """Write what many runs say together into a new folder of `runs_dir`, which is returned.

    Whatever comes between leaves no folder. `exported`: with pictures and tables in a folder of
    theirs. Raises `OSError`.
    """
    folder = make_run_dir(runs_dir, epoch_s)
    try:
        write_study_files(study, folder)
        if exported:
            with Bar(Console(stderr=True), "files") as bar:
                write(pieces_of_several(study, FORMATS), folder / FOLDER, bar)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # as above
        raise
    return folder


def _write_record(run: Simulated, folder: Path) -> None:
    """Under another name until it is whole."""
    part = folder / f".{RECORD_NAME}"
    writer = RecordWriter(part)
    lines = lines_of(run)
    while some := list(islice(lines, LINES_AT_ONCE)):
        writer.write(*some)
    writer.close()
    part.replace(folder / RECORD_NAME)
