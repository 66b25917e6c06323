"""Reads the runs of one side of a comparison. Of each only what is compared is kept."""

from pathlib import Path

from reports.folding.conditions import conditions_of
from reports.judging.differences.sides import RunOfSide, Side, side_of
from reports.measuring.sampling import sampled
from reports.progress import Bar
from reports.reading.lines import RecordError
from reports.reading.read import record_path
from reports.several.paths import runs_in
from reports.several.studying import origin_of
from reports.summary import Report, build_report


def runs_of_sides(base: Path, new: Path) -> tuple[list[Path], list[Path]]:
    """The runs of either side. Raises `RecordError`, also where one is on both."""
    sides = runs_in(base), runs_in(new)
    theirs = {record_path(run).resolve() for run in sides[1]}
    for run in sides[0]:
        if record_path(run).resolve() in theirs:
            raise RecordError(f"{run} is in both BASE and NEW: nothing differs from itself")
    return sides


def read_side(title: str, name: str, runs: list[Path], bar: Bar, *, each_dip: bool = False) -> Side:
    """Read and measure them. Raises `ValueError` for one that cannot be read, by its name."""
    found = []
    for run in runs:
        found.append(_read(run))
        bar.advance()
    return side_of(title, name, found, each_dip=each_dip)


def run_of(name: str, report: Report) -> RunOfSide:
    """What of a report is compared."""
    return RunOfSide(
        name=name,
        conditions=conditions_of(report.run.source, report.run.scenario),
        origin=origin_of(report.run),
        invalid_because=report.invalid_because,
        lanes=tuple(map(sampled, report.policies)),
    )


def _read(run: Path) -> RunOfSide:
    try:
        return run_of(record_path(run).resolve().parent.name, build_report(run))
    except RecordError as error:
        said = str(error)
        raise RecordError(said if str(run) in said else f"{run}: {said}") from None
