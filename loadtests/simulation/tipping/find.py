"""The part of `aftershock sweep` that is `--find tipping-point`."""

from pathlib import Path

import typer
from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.tipping.answer import Answers
from loadtests.simulation.tipping.html import HTML_NAME, to_html
from loadtests.simulation.tipping.hunt import Hunt, prepare
from loadtests.simulation.tipping.looking import look
from loadtests.simulation.tipping.terminal import render
from loadtests.simulation.tipping.to_json import JSON_NAME, to_json
from loadtests.simulation.workers import Workers, WorkersError
from loadtests.verb import INTERRUPTED, note
from reports.progress import Bar
from reports.rendering import words
from reports.rendering.files import write_whole
from reports.verbs.ending import telling

MOST_RUNS = 200


def run_find(  # noqa: PLR0913 - one argument a flag of the verb
    given: Given,
    *,
    along: str,
    confidence: float = 0.95,
    most_runs: int = MOST_RUNS,
    console: Console,
    errors: Console,
    as_json: bool = False,
) -> int:
    """Find the tipping point of each lane of a scenario along a field, and print it.

    `along` is a field with a range or without, and `most_runs` the most runs of a lane. The answer
    goes to the console, what is told beside it to the one of errors. Returns the exit code: 0, or
    130 after a Ctrl-C. What is sure by then is told after that, and also before any other error is
    raised that ends the search: `PolicyError`, `WorkersError` or `OSError`. Raises `ScenarioError`
    before it begins.
    """
    hunt = prepare(given, along, confidence, most_runs)
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
    note(errors, map(words.printable, hunt.announcement()))
    ended = _look(hunt, given.workers, errors)
    if ended is not None:
        errors.print("stopped: this is what is sure by now", highlight=False)
    found = hunt.answers(interrupted=ended is not None)
    page = "(--out DIR keeps this)"
    if given.out is not None:
        try:
            page = _write(found, given.out)
        except OSError as error:  # what took minutes to find is told all the same
            page, ended = "", error
    with telling("sweep"):
        if as_json:
            typer.echo(to_json(found), file=console.file, nl=False)
        else:
            render(found, console)
        beside = errors if as_json else console
        beside.print(page, soft_wrap=True, markup=False, highlight=False)
    if ended is None:
        return 0
    if isinstance(ended, KeyboardInterrupt):
        return INTERRUPTED
    raise ended


def _look(hunt: Hunt, workers: Workers, errors: Console) -> BaseException | None:
    """Search, with a bar; what ended it early, if anything did."""
    most = hunt.plan.most_runs * len(hunt.lanes)
    try:
        with Bar(errors, "runs, at most", most) as bar, workers:
            look(hunt.lanes, hunt.plan, workers, bar.advance)
    except (KeyboardInterrupt, PolicyError, WorkersError, OSError) as error:
        return error
    return None


def _write(found: Answers, folder: Path) -> str:
    write_whole(folder / JSON_NAME, to_json(found))
    write_whole(folder / HTML_NAME, to_html(found))
    return f"report: {folder / HTML_NAME}"
