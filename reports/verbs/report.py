"""`aftershock report`: prints the tables of one run or of several, and writes page and JSON."""

import webbrowser
from collections.abc import Callable, Mapping
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
from reports.rendering.markdown import markdown
from reports.rendering.study.html import HTML_NAME as STUDY_PAGE
from reports.rendering.study.terminal import render as render_study
from reports.rendering.study.to_json import to_json as study_json
from reports.rendering.study.writing import write_study
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.several.paths import runs_of
from reports.several.study import Study
from reports.summary import Report
from reports.verbs.reading_several import common_folder, read_study

VALID, BAD_INPUT, NOT_VALID, INTERRUPTED = 0, 2, 3, 130
RUNS = Path("runs")


def report(  # noqa: PLR0913, PLR0917 - one for each option
    context: typer.Context,
    run: Annotated[
        list[Path] | None,
        typer.Argument(
            help="A run's folder or its record.ndjson; several, or a folder of runs, are put into "
            "one report. Default: the newest in runs/."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the JSON that is written instead of the tables.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the report in Markdown instead of the tables.")
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
            metavar="DIR",
            help="Write both files into this folder. Default: beside the record, or of several "
            "runs in the folder that holds them.",
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

    Prints a table, and writes report.html and report.json beside the record,
    or into DIR. Of several runs it writes distribution.html and
    distribution.json: each figure's median, how sure that is and how it is
    spread, scenario by scenario.

    Exits 0 when the result is valid, 3 when it is not (of several runs: when
    none of a scenario is), 2 when there is nothing to report on.

    Example: aftershock report runs/20261130-101500

    Example: aftershock report runs/monday-* runs/tuesday-*
    """
    try:
        if as_json and as_markdown:
            raise ValueError("--json or --markdown: one of them can be printed")
        show = to_json if as_json else markdown if as_markdown else None
        paths = runs_of(run) if run else [newest_run(RUNS)]
        if len(paths) > 1:
            alone = {"--predicted": predicted, "--so-far": so_far, "--markdown": as_markdown}
            _check_alone(alone, len(paths))
            code, page = _several(paths, to, as_json=as_json)
        else:
            prediction = _predict(context, paths[0]) if predicted else None
            code, page = _one(paths[0], prediction, to, so_far=so_far, show=show)
    except ValueError as error:
        _give_up(str(error))
    except OSError as error:
        _give_up(f"the report cannot be written: {error}")
    if open_page:
        webbrowser.open(page.resolve().as_uri())
    raise typer.Exit(code)


def _one(
    path: Path,
    prediction: Prediction | None,
    to: Path | None,
    *,
    so_far: bool,
    show: Callable[[Report], str] | None,
) -> tuple[int, Path]:
    """Write and show the report of one run; the exit code, and the page.

    It is shown as the text that `show` makes of it, or as tables.
    """
    page = (to or record_path(path).parent) / HTML_NAME
    found = write_report(path, prediction, to, so_far=so_far)
    if show:
        typer.echo(show(found), nl=False)
    else:
        console = Console()
        render(found, console)
        _say_where(console, page)
    return exit_code(found), page


def _several(paths: list[Path], to: Path | None, *, as_json: bool) -> tuple[int, Path]:
    """Likewise, of all of these in one."""
    try:
        study = read_study(paths, Console(stderr=True))
    except KeyboardInterrupt:
        typer.echo("stopped: nothing was written", err=True)
        raise typer.Exit(INTERRUPTED) from None
    folder = to or common_folder(paths)
    write_study(study, folder)
    if as_json:
        typer.echo(study_json(study), nl=False)
    else:
        console = Console()
        render_study(study, console)
        _say_where(console, folder / STUDY_PAGE)
    return study_exit_code(study), folder / STUDY_PAGE


def _check_alone(options: Mapping[str, bool], runs: int) -> None:
    for option, asked in options.items():
        if asked:
            raise ValueError(f"{option} is for one run: {runs:,} are named")


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


def study_exit_code(study: Study) -> int:
    """0 for a valid result, 3 where no run counts under some condition, 2 if nothing happened."""
    if not study.disturbed:
        return BAD_INPUT
    return VALID if study.valid else NOT_VALID


def _say_where(console: Console, page: Path) -> None:
    console.print()
    # Not wrapped, so that the path can be copied and clicked.
    console.print(str(page), soft_wrap=True, markup=False, highlight=False)


def _give_up(message: str) -> NoReturn:
    typer.echo(f"aftershock report: {words.printable(message)}", err=True)
    raise typer.Exit(BAD_INPUT)
