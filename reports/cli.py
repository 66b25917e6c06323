"""`aftershock report`: prints the table, writes `report.html` and `report.json`."""

import webbrowser
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from reports.prediction import Prediction, Predictor
from reports.reading.lines import RecordError
from reports.reading.read import record_path
from reports.record import HTML_NAME, RECORD_NAME
from reports.rendering import words
from reports.rendering.files import write_report
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.summary import Report

VALID, BAD_INPUT, NOT_VALID, INTERRUPTED = 0, 2, 3, 130
RUNS = Path("runs")


def report(  # noqa: PLR0913, PLR0917 - one for each option
    context: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(help="A run's folder or its record.ndjson. Default: the newest in runs/."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print report.json instead of the table.")
    ] = False,
    predicted: Annotated[
        bool,
        typer.Option(
            "--predicted", help="Simulate the run's scenario, and show that over what was measured."
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write both files into this folder. Default: beside the record."
        ),
    ] = None,
    so_far: Annotated[
        bool,
        typer.Option(
            "--so-far", help="The run goes on: say what there is so far. Best with --to DIR."
        ),
    ] = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Say how long each policy kept the service overloaded after a dip, or another fault, was over.

    Prints a table, and writes report.html and report.json beside the record, or into DIR. Exits 0
    when the result is valid, 3 when it is not, 2 when there is nothing to report on.

    Example: aftershock report runs/20261130-101500
    """
    try:
        path = run or newest_run(RUNS)
        page = (to or record_path(path).parent) / HTML_NAME
        found = write_report(
            path, _predict(context, path) if predicted else None, to, so_far=so_far
        )
    except ValueError as error:
        _give_up(str(error))
    except OSError as error:
        _give_up(f"the report cannot be written: {error}")
    if as_json:
        typer.echo(to_json(found), nl=False)
    else:
        _show(found, page)
    if open_page:
        webbrowser.open(page.resolve().as_uri())
    raise typer.Exit(exit_code(found))


def _predict(context: typer.Context, path: Path) -> Prediction:
    """The prediction, by what the `aftershock` command has put there. Raises `ValueError`."""
    predictor: Predictor | None = context.obj
    if predictor is None:
        raise ValueError("--predicted simulates: ask `aftershock report` for it")
    try:
        return predictor(path)
    except KeyboardInterrupt:
        typer.echo("stopped: nothing was written", err=True)
        raise typer.Exit(INTERRUPTED) from None


def newest_run(runs: Path) -> Path:
    """The folder in `runs` whose record was written last. Raises `RecordError` without any."""
    records = sorted(runs.glob(f"*/{RECORD_NAME}"), key=lambda path: path.stat().st_mtime)
    if not records:
        raise RecordError(f"no run found in {runs}/: name one, or make one with `aftershock run`")
    return records[-1].parent


def exit_code(found: Report) -> int:
    """0 for a valid result, 3 for one that is not, 2 for a run without anything to recover from.

    Nothing may have disturbed a run that goes on: it is judged by what there is.
    """
    if found.trigger is None and not found.going_on:
        return BAD_INPUT
    return VALID if found.valid else NOT_VALID


def _show(found: Report, page: Path) -> None:
    console = Console()
    render(found, console)
    console.print()
    # Not wrapped, so that the path can be copied and clicked.
    console.print(str(page), soft_wrap=True, markup=False, highlight=False)


def _give_up(message: str) -> NoReturn:
    typer.echo(f"aftershock report: {words.printable(message)}", err=True)
    raise typer.Exit(BAD_INPUT)
