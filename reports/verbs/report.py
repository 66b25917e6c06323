"""`aftershock report`: prints the tables of one run or of several, and writes page and JSON."""

import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from reports.prediction import Prediction, Predictor
from reports.progress import Bar
from reports.reading.read import record_path
from reports.record import HTML_NAME
from reports.rendering.files import write_report
from reports.rendering.markdown import markdown
from reports.rendering.study.html import HTML_NAME as STUDY_PAGE
from reports.rendering.study.markdown import to_markdown as study_markdown
from reports.rendering.study.terminal import render as render_study
from reports.rendering.study.to_json import to_json as study_json
from reports.rendering.study.writing import write_study
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.several.paths import common_folder, runs_of
from reports.several.reading import reports_of
from reports.several.study import Study
from reports.several.studying import study_of
from reports.stopping import stops_like_ctrl_c
from reports.summary import Report
from reports.verbs.ending import exit_code, give_up, stopped, study_exit_code, telling
from reports.verbs.runs import RUNS, newest_run


@stops_like_ctrl_c()
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
        paths = runs_of(run) if run else [newest_run(RUNS)]
        if len(paths) > 1:
            _check_alone({"--predicted": predicted, "--so-far": so_far}, len(paths))
            told = study_json if as_json else study_markdown if as_markdown else None
            code, page = _several(paths, to, told)
        else:
            show = to_json if as_json else markdown if as_markdown else None
            prediction = _predict(context, paths[0]) if predicted else None
            code, page = _one(paths[0], prediction, to, so_far=so_far, show=show)
    except ValueError as error:
        give_up("report", str(error))
    except OSError as error:
        give_up("report", f"the report cannot be written: {error}")
    except KeyboardInterrupt:
        stopped("nothing more was written")
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
    with telling("report"):
        if show:
            typer.echo(show(found), nl=False)
        else:
            console = Console()
            render(found, console)
            _say_where(console, page)
    return exit_code(found), page


def _several(
    paths: list[Path], to: Path | None, show: Callable[[Study], str] | None
) -> tuple[int, Path]:
    """Likewise, of all of these in one."""
    try:
        with Bar(Console(stderr=True), "runs", len(paths)) as bar:
            study = study_of(report for _, report in reports_of(paths, bar))
    except KeyboardInterrupt:
        stopped("nothing was written")
    folder = to or common_folder(paths)
    write_study(study, folder)
    with telling("report"):
        if show:
            typer.echo(show(study), nl=False)
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
        stopped("nothing was written")


def _say_where(console: Console, page: Path) -> None:
    console.print()
    # Not wrapped, so that the path can be copied and clicked.
    console.print(str(page), soft_wrap=True, markup=False, highlight=False)
