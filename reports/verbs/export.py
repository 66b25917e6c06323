"""`aftershock export`: a run as pictures, tables and Markdown, for a post-mortem or a notebook."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.progress import Bar
from reports.reading.read import record_path
from reports.rendering import words
from reports.rendering.exports.exporting import (
    FOLDER,
    FORMATS,
    pieces_of_run,
    pieces_of_several,
    read,
    write,
)
from reports.rendering.study import sentences
from reports.rendering.study.headlines import headline
from reports.several.paths import common_folder, runs_of
from reports.several.reading import reports_of
from reports.several.studying import study_of
from reports.stopping import stops_like_ctrl_c
from reports.verbs.ending import exit_code, give_up, stopped, study_exit_code, telling
from reports.verbs.runs import RUNS, newest_run


@stops_like_ctrl_c()
def export(
    run: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...",
            help="A run's folder or its record.ndjson; several, or a folder of runs, are put into "
            "one. Default: the newest in runs/.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where the files go. Default: export/ beside the record, or of several in the "
            "folder that holds them.",
        ),
    ] = None,
    formats: Annotated[
        str,
        typer.Option("--format", metavar="LIST", help=f"Some of {', '.join(FORMATS)}."),
    ] = ",".join(FORMATS),
) -> None:
    """Write a run as pictures, tables and Markdown: for a post-mortem, or to go on calculating.

    A picture of each lane and a sheet of all of them, each with a caption
    that can stand alone; every series and every figure as CSV and Parquet;
    the report in Markdown. No browser and no network is needed. Of several
    runs it is what they say together. Exits 0 when the result is valid, 3
    when it is not (the pictures say so), 2 when there is nothing to report on.

    Example: aftershock export runs/20261130-101500 --to post-mortem

    Example: aftershock export runs/monday-* --format svg,markdown
    """
    try:
        wanted = _formats(formats)
        paths = runs_of(run) if run else [newest_run(RUNS)]
        code, against, written = (
            _one(paths[0], to, wanted) if len(paths) == 1 else _several(paths, to, wanted)
        )
    except ValueError as error:
        give_up("export", str(error))
    except OSError as error:
        give_up("export", f"the files cannot be written: {error}")
    except KeyboardInterrupt:
        stopped("the files that were done are there")
    with telling("export"):
        for path in written:
            typer.echo(str(path))
    for said in against:
        typer.echo(words.printable(said), err=True)
    raise typer.Exit(code)


Exported = tuple[int, list[str], list[Path]]
"""The exit code, what is against the result, and the files."""


def _one(path: Path, to: Path | None, formats: Sequence[str]) -> Exported:
    folder = to or record_path(path).parent / FOLDER
    with Bar(Console(stderr=True), "files") as bar:
        record, report = read(path)
        written = write(pieces_of_run(record, report, formats), folder, bar)
    against = [f"NOT VALID: {reason}" for reason in report.invalid_because]
    if report.trigger is None:
        against.append("no dip was found: there is no recovery to measure")
    return exit_code(report), against, written


def _several(paths: Sequence[Path], to: Path | None, formats: Sequence[str]) -> Exported:
    errors = Console(stderr=True)
    with Bar(errors, "runs", len(paths)) as bar:
        study = study_of(report for _, report in reports_of(paths, bar))
    folder = to or common_folder(paths) / FOLDER
    with Bar(errors, "files") as bar:
        written = write(pieces_of_several(study, formats), folder, bar)
    against = [f"NOT VALID: {said}" for said in filter(None, [sentences.without_runs(study)])]
    if not study.disturbed:
        against.append(headline(study))
    return study_exit_code(study), [*against, *filter(None, [sentences.left_out(study)])], written


def _formats(text: str) -> list[str]:
    found = [one.strip().lower() for one in text.split(",") if one.strip()]
    unknown = [one for one in found if one not in FORMATS]
    if unknown or not found:
        what = f"{unknown[0][:40]!r} is no format" if unknown else "no format is named"
        raise ValueError(f"--format: {what}; there are {', '.join(FORMATS)}")
    return found
