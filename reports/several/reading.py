"""Reads runs one by one. What is wrong with one is said with its name."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from reports.measuring.sampling import SampledRun, sampled
from reports.progress import Bar
from reports.reading.lines import RecordError
from reports.summary import Report, build_report


def reports_of(runs: Iterable[Path], bar: Bar) -> Iterator[tuple[Path, Report]]:
    """Each run with its report; `bar` says how far it is. Raises `RecordError`, naming the run."""
    for run in runs:
        try:
            report = build_report(run)
        except RecordError as error:
            said = str(error)
            raise RecordError(said if str(run) in said else f"{run}: {said}") from None
        yield run, report
        bar.advance()


def sampled_run(name: str, report: Report) -> SampledRun:
    """What of a report is kept where many runs are looked at together."""
    return SampledRun(
        name, report.run, report.invalid_because, tuple(map(sampled, report.policies))
    )
