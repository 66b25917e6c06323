"""The part of `aftershock sweep` that is `--find tipping-point`."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from loadtests.simulation.engines import Engine
from loadtests.simulation.progress import Bar
from loadtests.simulation.tipping.html import HTML_NAME, to_html
from loadtests.simulation.tipping.hunt import prepare
from loadtests.simulation.tipping.looking import look
from loadtests.simulation.tipping.terminal import render
from loadtests.simulation.tipping.to_json import JSON_NAME, to_json
from loadtests.simulation.workers import Workers
from reports import words
from reports.files import write_whole

INTERRUPTED = 130


def run_find(  # noqa: PLR0913 - one argument a flag of the verb
    values: Mapping[str, object],
    *,
    source: str,
    along: str,
    engine: Engine,
    confidence: float = 0.95,
    most_runs: int = 200,
    workers: Workers,
    console: Console,
    out: Path | None,
) -> int:
    """Find the tipping point of each lane of a scenario along a field, and print it.

    `along` is a field with a range or without, `source` the scenario's file, `most_runs` the most
    runs of a lane, and `out` the folder for the same as JSON and as a page. Returns the exit code:
    0, or 130 after a Ctrl-C, which tells what is sure by then. Raises `ScenarioError`,
    `PolicyError`, `WorkersError` and `OSError`.
    """
    hunt = prepare(values, source, along, engine, confidence, most_runs)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    for line in hunt.announcement():
        console.print(f"note: {words.printable(line)}", markup=False, highlight=False)
    interrupted = False
    try:
        with Bar(console, "runs, at most", most_runs * len(hunt.lanes)) as bar, workers:
            look(hunt.lanes, hunt.plan, workers, bar.advance)
    except KeyboardInterrupt:
        interrupted = True
        console.print("stopped: this is what is sure by now", highlight=False)
    found = hunt.answers(interrupted=interrupted)
    render(found, console)
    if out is not None:
        write_whole(out / JSON_NAME, to_json(found))
        write_whole(out / HTML_NAME, to_html(found))
        console.print(str(out / HTML_NAME), soft_wrap=True, markup=False, highlight=False)
    return INTERRUPTED if interrupted else 0
