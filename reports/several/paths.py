"""Which runs a path names: a record, a run's folder, or a folder of runs."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from reports.reading.lines import RecordError
from reports.reading.read import record_path
from reports.record import RECORD_NAME

MAX_RUNS = 1_000
DISTRIBUTION, EXPORTED = "distribution.json", "export"
MADE = ("report", "distribution", "prediction")
"""Files and folders of these names are made of runs and lie beside them: ``runs/*`` names them."""


def runs_in(path: Path) -> list[Path]:
    """The runs that `path` names, each as `read_record` takes it, in the order of their names.

    A folder that holds a record is a run; another one is looked into for runs, but not deeper.
    Raises `RecordError` when there is none, or more than 1,000.
    """
    try:
        found = _runs_in(path)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from None
    return _bounded(found, str(path))


def runs_of(paths: Iterable[Path]) -> list[Path]:
    """The runs that any of `paths` names, in their order; one that is named twice counts once.

    Of several paths, reports are passed over. Raises `RecordError` as `runs_in`.
    """
    found: dict[Path, Path] = {}
    named = list(paths)
    for path in [one for one in named if not _is_made(one)] or named:
        for run in runs_in(path):
            found.setdefault(record_path(run).resolve(), run)
    return _bounded(list(found.values()), "all together")


def runs_of_sides(base: Path, new: Path) -> tuple[list[Path], list[Path]]:
    """The runs of either side of a comparison. Raises `RecordError`, also where one is on both."""
    sides = runs_in(base), runs_in(new)
    theirs = {record_path(run).resolve() for run in sides[1]}
    for run in sides[0]:
        if record_path(run).resolve() in theirs:
            raise RecordError(f"{run} is in both BASE and NEW: nothing differs from itself")
    return sides


def common_folder(runs: Sequence[Path]) -> Path:
    """The folder in which all of the runs lie, however deep."""
    folders = [record_path(run).resolve().parent for run in runs]
    return Path(os.path.commonpath([folder.parent for folder in folders]))


def _is_made(path: Path) -> bool:
    if path.is_dir() and (path.name == EXPORTED or (path / DISTRIBUTION).is_file()):
        return not any(path.glob(RECORD_NAME)) and not any(path.glob(f"*/{RECORD_NAME}"))
    return path.stem in MADE and path.suffix in {".html", ".json"} and path.is_file()


def _runs_in(path: Path) -> list[Path]:
    if path.is_file() or (path / RECORD_NAME).is_file():
        return [path]
    if not path.is_dir():
        raise RecordError(f"{path}: no such run")
    found = sorted(record.parent for record in path.glob(f"*/{RECORD_NAME}") if record.is_file())
    if not found and (path / DISTRIBUTION).is_file():
        raise RecordError(
            f"{path}: it has what several runs say together, and none of them: expected the runs "
            "(`aftershock simulate --runs` keeps none; with --export it draws them at once)"
        )
    if not found:
        raise RecordError(f"{path}: no {RECORD_NAME} in it, nor in a folder of it")
    return found


def _bounded(runs: list[Path], named: str) -> list[Path]:
    if len(runs) > MAX_RUNS:
        raise RecordError(f"{named}: {len(runs):,} runs; at most {MAX_RUNS:,} are read together")
    return runs
