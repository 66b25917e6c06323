"""The verb `aftershock simulate`: flags and wiring only."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from faults.options import whole_number
from loadtests.overrides import Flags
from loadtests.rundir import check_out
from loadtests.scenario_options import (
    ArrivalsOption,
    CapacityOption,
    DipOption,
    EngineOption,
    FaultOption,
    ObservationOption,
    OutOption,
    PolicyOption,
    ProcessesOption,
    RateOption,
    ScenarioArgument,
    SeedOption,
    ServiceTimeOption,
    SpikeOption,
    UtilisationOption,
    WarmUpOption,
    WorkersOption,
)
from loadtests.simulation.asked import (
    Asked,
    bounded,
    parse_engine,
    planned,
    processes_of,
)
from loadtests.simulation.engines import choose, takes_long
from loadtests.simulation.simulating import simulate_often, simulate_once
from loadtests.simulation.verb import ends_well
from loadtests.simulation.workers import LocalWorkers
from loadtests.verb import NOT_VALID, note
from reports.verbs.ending import telling

RUNS = Path("runs")
MAX_RUNS = 10_000


def simulate(  # noqa: PLR0913, PLR0917 - one argument a flag
    scenario: ScenarioArgument = None,
    policy: PolicyOption = None,
    engine: EngineOption = "auto",
    runs: Annotated[
        int | None,
        typer.Option(
            help=f"With so many seeds, up to {MAX_RUNS}: how every figure is distributed.",
            metavar="NUMBER",
            parser=whole_number,
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Play a published article again, its figures beside ours: seed-000, seed-001, "
            "seed-003-herd, seed-003-budget, brooker-occ or layers.",
            metavar="ARTICLE",
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(help="Scenario and seed of this run, a live one say.", metavar="RUN"),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="So many times the load, the capacity and the clients, 0.001 to 1000000.",
            metavar="FACTOR",
        ),
    ] = None,
    admits: Annotated[
        str | None,
        typer.Option(
            help="Who is served where not all fit: in-order, as by a live target; shuffled; "
            "by-chance.",
            metavar="KIND",
        ),
    ] = None,
    out: OutOption = RUNS,
    rate: RateOption = None,
    utilisation: UtilisationOption = None,
    capacity: CapacityOption = None,
    workers: WorkersOption = None,
    service_time: ServiceTimeOption = None,
    arrivals: ArrivalsOption = None,
    dip: DipOption = None,
    fault: FaultOption = None,
    spike: SpikeOption = None,
    warm_up: WarmUpOption = None,
    observation: ObservationOption = None,
    seed: SeedOption = None,
    processes: ProcessesOption = None,
    exported: Annotated[
        bool,
        typer.Option(
            "--export",
            help="With --runs: pictures, tables and Markdown as well, as of `aftershock export`.",
        ),
    ] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON instead of tables.")
    ] = False,
) -> None:
    """Play a scenario in virtual time: what a live run would say, in a second.

    One lane per retry policy, with the same policies, the same service and
    the same report as `aftershock run`, and nothing else is started. The
    same scenario and seed give the same record, byte for byte.

    Flags override the scenario. Exit code 0: the result is valid; 3: it is
    not (of --preset: a published figure is missed); 2: bad input; 130:
    stopped, and with --runs the runs that were done are saved.

    Example: aftershock simulate --policy full-jitter --utilisation 95% --runs 300
    """
    errors = Console(stderr=True)
    flags = Flags(
        policies=policy, rate=rate, utilisation=utilisation, arrivals=arrivals, capacity=capacity,
        workers=workers, service_time=service_time, dip=dip, fault=fault, spike=spike,
        warm_up=warm_up, observation=observation, seed=seed, scale=scale, admits=admits,
    )  # fmt: skip
    with ends_well("simulate", errors):
        asked = Asked(scenario, flags, like, parse_engine(engine))
        many = None if runs is None else bounded("--runs", runs, MAX_RUNS)
        helpers = LocalWorkers(processes_of(processes))
        if exported and (many is None or preset is not None):
            raise ValueError("--export: it is for --runs; `aftershock export` does it of one run")
        if preset is not None:
            code = _article(preset, asked, many, helpers, as_json=json_)
        else:
            code = _scenario(asked, many, helpers, out, errors, exported=exported, as_json=json_)
        raise typer.Exit(code)


def _scenario(  # noqa: PLR0913 - as above
    asked: Asked,
    runs: int | None,
    helpers: LocalWorkers,
    out: Path,
    errors: Console,
    *,
    exported: bool,
    as_json: bool,
) -> int:
    """Play the scenario once or often, print and write what comes of it; the exit code."""
    check_out(out)
    scenario, remarks = planned(asked)
    note(errors, remarks)
    chosen = choose(scenario, asked.engine)
    note(errors, filter(None, [takes_long(scenario, chosen)]))
    if runs is None:
        return simulate_once(scenario, chosen, out, errors, as_json=as_json)
    return simulate_often(
        scenario, chosen, runs, helpers, out, errors, exported=exported, as_json=as_json
    )


def _article(
    name: str, asked: Asked, runs: int | None, helpers: LocalWorkers, *, as_json: bool
) -> int:
    """Play an article again; its scenario is its own. Returns the exit code."""
    if said := asked.given():
        raise ValueError(f"--preset: an article is played as it was published: leave {said[0]} out")
    # Here and not above: no other simulation needs the articles.
    from loadtests.simulation.articles import play_article, render, to_json  # noqa: PLC0415

    with helpers:
        played = play_article(name, engine=asked.engine, runs=runs, workers=helpers)
    with telling("simulate"):
        if as_json:
            typer.echo(json.dumps(to_json(played), indent=2, allow_nan=False))
        else:
            render(played, Console())
    return NOT_VALID if played.missed else 0
