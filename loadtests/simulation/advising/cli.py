"""The verb `aftershock advise`: flags and wiring only."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from aftershock_units import format_share, parse_named, parse_share
from faults.options import whole_number
from loadtests.imports import printable
from loadtests.overrides import Flags, read_scenario
from loadtests.rundir import check_out
from loadtests.scenario import Scenario, ScenarioError
from loadtests.scenario_options import (
    EngineOption,
    ProcessesOption,
    ScenarioArgument,
    SeedOption,
)
from loadtests.simulation.advising import advice as advising
from loadtests.simulation.advising.advice import Advice, Question
from loadtests.simulation.advising.candidates import Field, field_of
from loadtests.simulation.advising.html import to_html
from loadtests.simulation.advising.situation import Situation, situation_of
from loadtests.simulation.advising.terminal import render
from loadtests.simulation.advising.to_json import to_json
from loadtests.simulation.asked import bounded, parse_engine, processes_of
from loadtests.simulation.verb import ends_well
from loadtests.simulation.workers import LocalWorkers
from loadtests.verb import FAILED, INTERRUPTED, complain, note
from reports.progress import Bar
from reports.rendering.files import write_whole
from reports.verbs.ending import telling

RUNS = Path("runs")
HTML_NAME, JSON_NAME = "advice.html", "advice.json"
MAX_RUNS = 10_000


def advise(  # noqa: PLR0913, PLR0917 - one argument a flag
    scenario: ScenarioArgument = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Try this policy in place of the whole catalogue; repeatable, and with parameters "
            "as in full-jitter:attempts=3. A name alone means the preset's defaults, also where "
            "the scenario has parameters for it (`run` and `simulate` take those). Load, "
            "capacity and dips are changed in the scenario's file.",
            metavar="NAME",
        ),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help='Try budgets of this share of requests, as in "10%"; repeatable. '
            "Default: 5%, 10% and 20%, or with --policy none.",
            metavar="SHARE",
        ),
    ] = None,
    failed: Annotated[
        str | None,
        typer.Option(
            help='Advise nothing that leaves more requests unserved than this, as in "5%". '
            "Default: a quarter more than a client without retries leaves.",
            metavar="SHARE",
        ),
    ] = None,
    lane: Annotated[
        str | None,
        typer.Option(
            help="The lane that advice is for, where lanes differ in more than their policies.",
            metavar="NAME",
        ),
    ] = None,
    runs: Annotated[
        int,
        typer.Option(
            help="Runs of each policy, with as many seeds.", metavar="NUMBER", parser=whole_number
        ),
    ] = 20,
    seed: SeedOption = None,
    engine: EngineOption = "auto",
    processes: ProcessesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help=f"Where {HTML_NAME} and {JSON_NAME} go. Default: a folder in {RUNS}/ that is "
            "called after the scenario.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Say which policy to take: simulate the catalogue in a scenario and rank it.

    By when the load is back under capacity, at a given share of unserved
    requests; with the trade-off between the two drawn. What the scenario has is
    tried too, and changes of it: fewer attempts, full jitter, budgets.

    Exit code 0: there is advice; 2: bad input; 130: interrupted, advice from
    the runs that were done.

    Example: aftershock advise scenario.toml --failed 5%
    """
    errors = Console(stderr=True)
    with ends_well("advise", errors):
        question = Question(
            file=str(scenario) if scenario else None,
            engine=parse_engine(engine),
            runs=bounded("--runs", runs, MAX_RUNS),
            failed=None if failed is None else parse_named("--failed", parse_share, failed),
        )
        budgets = [_budget(text) for text in budget or []]
        count = processes_of(processes)
        if out is not None:
            check_out(out)
        planned, remarks = read_scenario(scenario, Flags(seed=seed))
        situation, field = _prepare(planned, scenario, lane, policy or [], budgets)
        note(errors, remarks)
        errors.print(_planned(len(field.candidates), question.runs), highlight=False)
        made = _made(planned, situation, field, question, count, errors)
        if made is None:
            raise KeyboardInterrupt
        raise typer.Exit(_tell(made, out or _folder(planned), errors))


def _planned(policies: int, runs: int) -> str:
    """How much is simulated, before it begins; changes of the service may come on top."""
    return f"{policies} policies × {runs} runs = {policies * runs:,} simulated runs"


def _prepare(
    planned: Scenario, file: Path | None, lane: str | None, asked: list[str], budgets: list[float]
) -> tuple[Situation, Field]:
    try:
        situation = situation_of(planned, lane)
    except ScenarioError as error:
        where = "" if file is None or str(error).startswith("--") else f"{printable(str(file))}: "
        raise ScenarioError(f"{where}{error}") from None
    return situation, field_of(situation, asked, budgets)


def _made(  # noqa: PLR0913, PLR0917 - what is tried, how, and who does and watches it
    planned: Scenario,
    situation: Situation,
    field: Field,
    question: Question,
    processes: int,
    errors: Console,
) -> Advice | None:
    """Simulate, with a bar."""
    with Bar(errors, "runs") as bar, LocalWorkers(processes) as workers:
        progress = advising.Progress(bar.expect, bar.advance)
        return advising.advise(planned, situation, field, question, workers, progress)


def _tell(made: Advice, folder: Path, errors: Console) -> int:
    """Write and print the advice; returns the exit code."""
    code = INTERRUPTED if made.interrupted else 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / JSON_NAME, to_json(made))
        write_whole(folder / HTML_NAME, to_html(made))
    except OSError as error:
        complain("advise", errors, error)
        code = FAILED
    with telling("advise"):
        console = Console()
        render(made, console)
        if code != FAILED:
            drawn = f"the trade-off, drawn: {folder / HTML_NAME}"
            console.print(drawn, soft_wrap=True, markup=False, highlight=False)
    return code


def _folder(planned: Scenario) -> Path:
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", planned.name).strip(".-") or "scenario"
    return RUNS / f"{name}-seed-{planned.seed}-advice"


def _budget(text: str) -> float:
    share = parse_named("--budget", parse_share, text)
    if not share:
        raise ValueError(f"--budget: {format_share(share)}: expected more than 0%, up to 100%")
    return share
