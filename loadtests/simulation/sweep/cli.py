"""The verb `aftershock sweep`: flags and wiring only."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from faults.options import whole_number
from loadtests.overrides import Flags, remarks
from loadtests.scenario import ScenarioError, load_scenario_values
from loadtests.scenario_options import (
    ArrivalsOption,
    CapacityOption,
    DipOption,
    EngineOption,
    FaultOption,
    ObservationOption,
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
from loadtests.simulation.asked import bounded, parse_engine, processes_of
from loadtests.simulation.sweep.checking import MAX_RUNS, check_cells, plan, readings
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.searching import CONFIDENCE, TIPPING_POINT, SearchFlags, search
from loadtests.simulation.sweep.session import HTML_NAME, Swept, sweep_in
from loadtests.simulation.sweep.terminal import render
from loadtests.simulation.sweep.to_json import to_json
from loadtests.simulation.verb import ends_well
from loadtests.simulation.workers import LocalWorkers, Workers, WorkersError
from loadtests.verb import INTERRUPTED, note
from reports.progress import Bar
from reports.verbs.ending import telling

SWEEPS = Path("sweeps")
RUNS = 5
CELLS_AT_ONCE = 2
"""A cell takes seconds on a queue: what a process has begun is what a Ctrl-C loses."""


def sweep(  # noqa: PLR0913, PLR0917 - one argument a flag
    scenario: ScenarioArgument = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="A field and its values: PATH=LOW:HIGH:STEP or PATH=VALUE,VALUE; repeatable. The "
            "path is the field's in a scenario, as in load.utilisation, target.workers, dip.for, "
            "policy.attempts.",
            metavar="AXIS",
        ),
    ] = None,
    policy: PolicyOption = None,
    runs: Annotated[
        int | None,
        typer.Option(
            help=f"So many seeds a cell, up to {MAX_RUNS}; most of them decide. Default: {RUNS}. "
            "With --find: the most runs of a policy.",
            metavar="NUMBER",
            parser=whole_number,
        ),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(
            help=f"{TIPPING_POINT}: instead of a map, between which two values of --along a policy "
            "stops recovering.",
            metavar="WHAT",
        ),
    ] = None,
    along: Annotated[
        str | None,
        typer.Option(
            help="For --find, as in dip.for or dip.for=100ms:60s.", metavar="PATH[=LOW:HIGH]"
        ),
    ] = None,
    confidence: Annotated[
        str | None,
        typer.Option(help=f"Of what --find says. Default: {CONFIDENCE}.", metavar="SHARE"),
    ] = None,
    engine: EngineOption = "auto",
    processes: ProcessesOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Instead of processes here: the Dask scheduler at this address. Needs the extra "
            "`cluster` of aftershock here, and aftershock installed on its workers.",
            metavar="ADDRESS",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder of this sweep. Default: one in sweeps/, named after all that is "
            "swept.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
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
    json_: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON instead.")
    ] = False,
) -> None:
    """Map where a system recovers, where it is vulnerable, and where it never comes back.

    Plays the scenario in virtual time for every combination of the axes and
    every policy, with several seeds each. A cell is vulnerable when it
    recovers, but would not from a larger trigger. Each cell that is done is
    kept: the same command goes on where the last one was stopped.

    Writes cells.ndjson, sweep.json and sweep.html. Exit code 0: all is
    played; 2: bad input; 1: a process died or a file cannot be written;
    130: stopped. What is done by then is told after 1 and 130, too.

    Example: aftershock sweep --vary load.utilisation=0.5:0.99:0.01 --vary dip.for=1s:60s:1s
    """
    errors = Console(stderr=True)
    flags = Flags(
        policies=policy, rate=rate, utilisation=utilisation, arrivals=arrivals, capacity=capacity,
        workers=workers, service_time=service_time, dip=dip, fault=fault, spike=spike,
        warm_up=warm_up, observation=observation, seed=seed,
    )  # fmt: skip
    with ends_well("sweep", errors):
        values = load_scenario_values(scenario) if scenario else {}
        flags.change(values)
        asked = SearchFlags(find, along, confidence, vary or [], runs)
        helpers = _workers(processes, cluster)
        given = Given(scenario, values, flags, parse_engine(engine), helpers, out)
        note(errors, remarks(values))
        if asked.wanted():
            code = search(given, asked, errors, as_json=json_)
        else:
            most = RUNS if runs is None else runs
            code = _sweep(given, asked.vary, most, errors, as_json=json_)
        raise typer.Exit(code)


def _workers(processes: int | None, cluster: str | None) -> Workers:
    if cluster is None:
        return LocalWorkers(processes_of(processes), CELLS_AT_ONCE)
    if processes is not None:
        raise ScenarioError("--processes and --cluster: who plays is one or the other")
    from loadtests.simulation.cluster import DaskWorkers  # noqa: PLC0415 - nothing else needs it

    return DaskWorkers(cluster)


def _sweep(given: Given, vary: Sequence[str], runs: int, errors: Console, *, as_json: bool) -> int:
    """Sweep, print and write; returns the exit code."""
    if not vary:
        raise ScenarioError("--vary is needed: what is varied, as in dip.for=1s:60s:1s")
    planned = plan(given.values, vary, given.flags, bounded("--runs", runs, MAX_RUNS), given.engine)
    with Bar(errors, "scenarios read", readings(planned)) as bar:
        try:
            check_cells(planned, bar.advance)
        except ScenarioError as error:
            raise ScenarioError(f"{given.source}: {error}") from None
    folder = given.out or SWEEPS / planned.folder_name
    swept = sweep_in(folder, planned, given.workers, errors)
    with telling("sweep"):
        if as_json:
            typer.echo(to_json(swept.judged), nl=False)
        else:
            console = Console()
            render(swept.judged, console)
            console.print(f"\nmap: {folder / HTML_NAME}", soft_wrap=True, markup=False)
    return _ended(swept, planned, errors)


def _ended(swept: Swept, planned: Sweep, errors: Console) -> int:
    """What to say of what ended it, if anything did."""
    if swept.error is None:
        return 0
    done = f"{len(swept.judged.played)} of {planned.size} cells and probes are done"
    on = "the same command goes on with the rest"
    if isinstance(swept.error, KeyboardInterrupt):
        whole = not errors.is_terminal
        errors.print(f"stopped: {done}; {on}", markup=False, highlight=False, soft_wrap=whole)
        return INTERRUPTED
    if isinstance(swept.error, ScenarioError):
        raise ScenarioError(f"{swept.error} ({done}, and kept)")
    raise WorkersError(f"{swept.error} ({done}; {on})")
