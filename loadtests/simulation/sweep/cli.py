"""The verb `aftershock sweep`: flags and wiring only."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from aftershock_units import parse_named, parse_share
from faults.options import whole_number
from loadtests.overrides import Flags, remarks
from loadtests.policies.request import PolicyError
from loadtests.scenario import ScenarioError, load_scenario_values
from loadtests.scenario_options import (
    ArrivalsOption,
    CapacityOption,
    DipOption,
    ObservationOption,
    PolicyOption,
    RateOption,
    ScenarioArgument,
    SeedOption,
    ServiceTimeOption,
    SpikeOption,
    UtilisationOption,
    WarmUpOption,
    WorkersOption,
)
from loadtests.simulation.asked import bounded, parse_engine
from loadtests.simulation.progress import Bar
from loadtests.simulation.stopping import stops_like_ctrl_c
from loadtests.simulation.sweep.checking import MAX_RUNS, check_cells, plan, readings
from loadtests.simulation.sweep.given import Given
from loadtests.simulation.sweep.plan import Sweep
from loadtests.simulation.sweep.session import HTML_NAME, Swept, sweep_in
from loadtests.simulation.sweep.terminal import render
from loadtests.simulation.sweep.to_json import to_json
from loadtests.simulation.workers import LocalWorkers, Workers, WorkersError, default_processes

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
SWEEPS = Path("sweeps")
RUNS = 5
MAX_PROCESSES = 256
CELLS_AT_ONCE = 2
"""A cell takes seconds on a queue: what a process has begun is what a Ctrl-C loses."""
TIPPING_POINT = "tipping-point"
CONFIDENCE = "95%"


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
            help="tipping-point: instead of a map, between which two values of --along a policy "
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
    engine: Annotated[
        str, typer.Option(help="auto, events or ticks: see `simulate`.", metavar="NAME")
    ] = "auto",
    processes: Annotated[
        int | None,
        typer.Option(
            help="They change no figure. Default: one a core.",
            metavar="NUMBER",
            parser=whole_number,
        ),
    ] = None,
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
    played; 2: bad input; 130: stopped.

    Example: aftershock sweep --vary load.utilisation=0.5:0.99:0.01 --vary dip.for=1s:60s:1s
    """
    errors = Console(stderr=True)
    flags = Flags(
        policies=policy, rate=rate, utilisation=utilisation, arrivals=arrivals, capacity=capacity,
        workers=workers, service_time=service_time, dip=dip, spike=spike, warm_up=warm_up,
        observation=observation, seed=seed,
    )  # fmt: skip
    try:
        values = load_scenario_values(scenario) if scenario else {}
        flags.change(values)
        helpers = _workers(processes, cluster)
        given = Given(scenario, values, flags, parse_engine(engine), helpers, out)
        for remark in remarks(values):
            errors.print(f"note: {remark}", markup=False, highlight=False)
        with stops_like_ctrl_c():
            if find is not None:
                code = _find(given, vary, find, along, confidence, runs, errors, as_json=json_)
            elif along is not None or confidence is not None:
                flag = "--confidence" if along is None else "--along"
                raise ScenarioError(f"{flag} is for --find {TIPPING_POINT}: expected both or none")
            else:
                most = RUNS if runs is None else runs
                code = _sweep(given, vary or [], most, errors, as_json=json_)
    except KeyboardInterrupt:
        errors.print("stopped: nothing was played")
        raise typer.Exit(INTERRUPTED) from None
    except ValueError as error:
        raise _fail(errors, error, BAD_INPUT) from None
    except (PolicyError, WorkersError, OSError) as error:
        raise _fail(errors, error, FAILED) from None
    raise typer.Exit(code)


def _workers(processes: int | None, cluster: str | None) -> Workers:
    if cluster is None:
        count = default_processes() if processes is None else processes
        return LocalWorkers(bounded("--processes", count, MAX_PROCESSES), CELLS_AT_ONCE)
    if processes is not None:
        raise ScenarioError("--processes and --cluster: who plays is one or the other")
    from loadtests.simulation.cluster import DaskWorkers  # noqa: PLC0415 - nothing else needs it

    return DaskWorkers(cluster)


def _find(  # noqa: PLR0913, PLR0917 - one argument a flag
    given: Given,
    vary: list[str] | None,
    find: str,
    along: str | None,
    confidence: str | None,
    runs: int | None,
    errors: Console,
    *,
    as_json: bool,
) -> int:
    if find != TIPPING_POINT or along is None or vary:
        raise ScenarioError(
            f"--find {TIPPING_POINT} needs --along PATH, as in dip.for, and goes without --vary"
        )
    # Here and not above: a map needs nothing of it.
    from loadtests.simulation.tipping.find import MOST_RUNS, run_find  # noqa: PLC0415

    return run_find(
        given,
        along=along,
        confidence=parse_named("--confidence", parse_share, confidence or CONFIDENCE),
        most_runs=MOST_RUNS if runs is None else runs,
        console=Console(),
        errors=errors,
        as_json=as_json,
    )


def _sweep(given: Given, vary: list[str], runs: int, errors: Console, *, as_json: bool) -> int:
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
    if as_json:
        typer.echo(to_json(swept.judged), nl=False)
    else:
        render(swept.judged, Console())
        Console().print(f"\nmap: {folder / HTML_NAME}", soft_wrap=True, markup=False)
    return _ended(swept, planned, errors)


def _ended(swept: Swept, planned: Sweep, errors: Console) -> int:
    """What to say of what ended it, if anything did."""
    if swept.error is None:
        return 0
    done = f"{len(swept.judged.played)} of {planned.size} cells and probes are done"
    on = "the same command goes on with the rest"
    if isinstance(swept.error, KeyboardInterrupt):
        errors.print(f"stopped: {done}; {on}", markup=False, highlight=False)
        return INTERRUPTED
    raise WorkersError(f"{swept.error} ({done}; {on})")


def _fail(errors: Console, error: Exception, code: int) -> typer.Exit:
    """One line a mistake."""
    for line in str(error).splitlines():
        errors.print(
            f"aftershock sweep: {line}", style="red", markup=False, highlight=False, soft_wrap=True
        )
    return typer.Exit(code)
