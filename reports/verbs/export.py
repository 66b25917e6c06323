"""`aftershock export`: a run as pictures, tables and Markdown, for a post-mortem or a notebook."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.progress import Bar
from reports.reading.read import record_path
from reports.rendering import words
from reports.rendering.exports.exporting import FORMATS, Piece, pieces, read
from reports.stopping import stops_like_ctrl_c
from reports.verbs.ending import exit_code, give_up, stopped, telling
from reports.verbs.runs import RUNS, newest_run

FOLDER = "export"


@stops_like_ctrl_c()
def export(
    run: Annotated[
        Path | None,
        typer.Argument(help="A run's folder or its record.ndjson. Default: the newest in runs/."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the files go. Default: export/ beside the record."),
    ] = None,
    formats: Annotated[
        str,
        typer.Option("--format", metavar="LIST", help=f"Some of {', '.join(FORMATS)}."),
    ] = ",".join(FORMATS),
) -> None:
    """Write a run as pictures, tables and Markdown: for a post-mortem, or to go on calculating.

    A picture of each lane and a sheet of all of them, each with a caption
    that can stand alone; every series and every figure as CSV and Parquet;
    the report in Markdown. No browser and no network is needed. Exits 0 when
    the result is valid, 3 when it is not (the pictures say so), 2 when there
    is nothing to report on.

    Example: aftershock export runs/20261130-101500 --to post-mortem
    """
    try:
        wanted = _formats(formats)
        path = run or newest_run(RUNS)
        folder = to or record_path(path).parent / FOLDER
        record, report = read(path)
        folder.mkdir(parents=True, exist_ok=True)
        written = _write(list(pieces(record, report, wanted)), folder)
    except ValueError as error:
        give_up("export", str(error))
    except OSError as error:
        give_up("export", f"the files cannot be written: {error}")
    except KeyboardInterrupt:
        stopped("the files that were done are there")
    with telling("export"):
        for name in written:
            typer.echo(str(folder / name))
    for reason in report.invalid_because:
        typer.echo(f"NOT VALID: {words.printable(reason)}", err=True)
    if report.trigger is None:
        typer.echo("no dip was found: there is no recovery to measure", err=True)
    raise typer.Exit(exit_code(report))


def _formats(text: str) -> list[str]:
    found = [one.strip().lower() for one in text.split(",") if one.strip()]
    unknown = [one for one in found if one not in FORMATS]
    if unknown or not found:
        what = f"{unknown[0][:40]!r} is no format" if unknown else "no format is named"
        raise ValueError(f"--format: {what}; there are {', '.join(FORMATS)}")
    return found


def _write(each: list[Piece], folder: Path) -> list[str]:
    """Write all pieces; the names of the files, in their order."""
    with Bar(Console(stderr=True), "files", sum(len(piece.names) for piece in each)) as bar:
        for piece in each:
            piece.write(folder)
            for _ in piece.names:
                bar.advance()
    return [name for piece in each for name in piece.names]
