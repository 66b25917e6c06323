"""Plays a scenario once or many times, writes what comes of it, and prints it."""

import time
from pathlib import Path

import typer
from rich.console import Console

from loadtests.scenario import Scenario
from loadtests.simulation.engines import Chosen, simulate
from loadtests.simulation.many import play_and_sample, tasks_of
from loadtests.simulation.recording import write_run, write_study
from loadtests.simulation.workers import Workers
from loadtests.verb import INTERRUPTED
from reports.measuring.sampling import SampledRun
from reports.progress import Bar
from reports.record import HTML_NAME
from reports.rendering.gate.terminal import render_after_report
from reports.rendering.study.html import HTML_NAME as STUDY_PAGE
from reports.rendering.study.terminal import render as render_study
from reports.rendering.study.to_json import to_json as study_json
from reports.rendering.terminal import render
from reports.rendering.to_json import to_json
from reports.several.checking import check_played, check_report
from reports.several.studying import studied
from reports.verbs.ending import (
    BAD_INPUT,
    GOOD,
    NOT_VALID,
    exit_code,
    played_exit_code,
    telling,
)


def simulate_once(
    scenario: Scenario, chosen: Chosen, out: Path, errors: Console, *, as_json: bool
) -> int:
    """One run: its record and its report in a new folder; the exit code.

    Raises `KeyboardInterrupt` when it is stopped: there is nothing then.
    """
    seconds = int(scenario.planned_end_s) * len(scenario.policies)
    with Bar(errors, "virtual seconds", seconds) as bar:
        run = simulate(scenario, chosen.engine, on_second=bar.advance)
    folder, report = write_run(run, out, time.time())
    verdict = check_report(report, str(folder))
    with telling("simulate"):
        beside = errors if as_json else Console()
        if as_json:
            typer.echo(to_json(report), nl=False)
        else:
            render(report, Console())
        if verdict is not None:
            render_after_report(verdict, beside)
        _say_last(chosen, folder / HTML_NAME, beside)
    return played_exit_code(exit_code(report), verdict)


def simulate_often(  # noqa: PLR0913, PLR0917 - what it plays, with whom, and where it goes
    scenario: Scenario,
    chosen: Chosen,
    runs: int,
    workers: Workers,
    out: Path,
    errors: Console,
    *,
    exported: bool,
    as_json: bool,
) -> int:
    """So many runs: how their figures are distributed, in a new folder; the exit code.

    Stopped by Ctrl-C it is the distribution of the runs that are done; `KeyboardInterrupt` is
    raised where none is.
    """
    done, stopped = _play(scenario, chosen, runs, workers, errors)
    if not done:
        raise KeyboardInterrupt
    study = studied(done, planned=runs, notes=(_how(chosen),))
    verdict = check_played(scenario.model_dump(mode="json").get("check"), done)
    folder = write_study(study, out, time.time(), exported=exported)
    with telling("simulate"):
        beside = errors if as_json else Console()
        if as_json:
            typer.echo(study_json(study), nl=False)
        else:
            render_study(study, Console())
        if verdict is not None:
            render_after_report(verdict, beside)
        _say_last(chosen, folder / STUDY_PAGE, beside)
    if stopped:
        errors.print(f"stopped: this is the distribution of {len(done)} of {runs} runs")
        return INTERRUPTED
    if not study.disturbed:
        return BAD_INPUT
    # What is left of runs most of which are not valid is no sample of what the scenario does.
    counted = sum(run.counts for run in study.runs)
    valid = 2 * counted > len(done) and (verdict is None or not verdict.not_valid)
    return played_exit_code(GOOD if valid else NOT_VALID, verdict)


def _play(
    scenario: Scenario, chosen: Chosen, runs: int, workers: Workers, errors: Console
) -> tuple[list[SampledRun], bool]:
    """The runs that are done, by their seeds; and whether they are not all: somebody stopped it."""
    tasks = tasks_of(scenario, chosen.engine, runs)
    done: dict[int, SampledRun] = {}
    stopped = False
    try:
        with workers, Bar(errors, "runs", runs) as bar:
            for index, run in workers.each(play_and_sample, tasks):
                done[index] = run
                bar.advance()
    except KeyboardInterrupt:
        stopped = True
    return [done[index] for index in sorted(done)], stopped


def _how(chosen: Chosen) -> str:
    engine = chosen.engine.value
    return f"Simulated in virtual time, not measured: engine {engine} ({chosen.why})."


def _say_last(chosen: Chosen, page: Path, console: Console) -> None:
    """Why this engine, which the report names; and where the page is, so that it can be copied."""
    if not chosen.asked:
        console.print(f"why this engine: {chosen.why}", markup=False, highlight=False)
    console.print(f"report: {page}", soft_wrap=True, markup=False, highlight=False)
