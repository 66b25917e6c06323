"""The verb `aftershock run`: flags and wiring only."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from faults.admin import AdminError, GatewayError
from loadtests.overrides import Flags, read_scenario
from loadtests.processes import ProcessError
from loadtests.run import LiveRun, Service, check_own_target, run_live
from loadtests.rundir import check_out
from loadtests.running_target import look_at, try_path
from loadtests.scenario import ScenarioError
from loadtests.scenario_options import (
    ArrivalsOption,
    CapacityOption,
    DipOption,
    FaultOption,
    ObservationOption,
    OutOption,
    PathOption,
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
from loadtests.verb import BAD_INPUT, FAILED, INTERRUPTED, complain, give_up, note
from reports.reading.lines import RecordError
from reports.record import HTML_NAME
from reports.rendering.files import write_files
from reports.rendering.gate.terminal import render_after_report
from reports.rendering.terminal import render
from reports.several.checking import check_report
from reports.summary import Report, build_report
from reports.verbs.ending import exit_code, played_exit_code, telling

RUNS = Path("runs")
NOTHING = "stopped before anything was recorded"


def run(  # noqa: PLR0913, PLR0917 - one argument a flag
    scenario: ScenarioArgument = None,
    policy: PolicyOption = None,
    target: Annotated[
        str | None,
        typer.Option(
            help="A target that runs already; without one, a target is started.", metavar="URL"
        ),
    ] = None,
    admin_url: Annotated[
        str | None,
        typer.Option(
            help="Where its admin API is, if not under --target: that of `CapacityGate` is under "
            "/aftershock.",
            metavar="URL",
        ),
    ] = None,
    out: OutOption = RUNS,
    rate: RateOption = None,
    utilisation: UtilisationOption = None,
    path: PathOption = None,
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
    token: Annotated[
        str,
        typer.Option(
            metavar="TOKEN",
            envvar="AFTERSHOCK_ADMIN_TOKEN",
            help="Bearer token of the target's admin API.",
            show_default=False,
            show_envvar=True,
        ),
    ] = "",
) -> None:
    """Load a target with one lane per retry policy, dip its capacity, report the recovery.

    Flags override the scenario. Exit code 0: the run is valid; 3: it is not; 1:
    it breaks a limit of the scenario's table check, or something failed; 2: bad
    input; 130: stopped by Ctrl-C before its end (143: by SIGTERM).

    Example: aftershock run --policy full-jitter --capacity 500/s --rate 475/s
    """
    errors = Console(stderr=True)
    try:
        flags = Flags(
            policies=policy, rate=rate, utilisation=utilisation, arrivals=arrivals, path=path,
            capacity=capacity, workers=workers, service_time=service_time, dip=dip, fault=fault,
            spike=spike, warm_up=warm_up, observation=observation, seed=seed,
        )  # fmt: skip
        check_out(out)
        service = _running(target, admin_url)
        state = look_at(service.admin_url, token) if service else None
        planned, remarks = read_scenario(scenario, flags, state)
        note(errors, remarks)
        if service is None:
            check_own_target(planned)
        else:
            note(errors, try_path(service.url, planned))
        live = run_live(planned, service, token, out, errors)
    except ValueError as error:
        give_up("run", errors, error, BAD_INPUT)
    except GatewayError as error:
        give_up("run", errors, ScenarioError(f"{error} as --admin-url"), BAD_INPUT)
    except (AdminError, ProcessError, OSError) as error:
        give_up("run", errors, error, FAILED)
    except KeyboardInterrupt:
        errors.print(NOTHING)
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(_report(live, errors))


def _running(target: str | None, admin_url: str | None) -> Service | None:
    """The service that runs already; None when a target is to be started."""
    if target:
        return Service(target, admin_url)
    if admin_url:
        raise ScenarioError("--admin-url needs --target: a target of our own has its own")
    return None


def _report(live: LiveRun, errors: Console) -> int:
    """Print the report of a run that has ended; returns the exit code."""
    stopped = live.stopped_by
    if stopped and not live.has_record:
        errors.print(NOTHING)
        return 128 + stopped
    if stopped:
        errors.print("ended early; the report covers what there is")
    elif live.exit_code != 0:
        errors.print(f"the load generator failed:\n{live.last_words}", markup=False)
    if not live.has_record:
        return BAD_INPUT if live.exit_code == BAD_INPUT else FAILED
    try:
        report = build_report(live.directory)
        verdict = check_report(report, str(live.directory))
    except (RecordError, OSError) as error:
        complain("run", errors, error)
        return FAILED
    unwritten = _write(report, live.directory, errors)
    with telling("run"):
        console = Console()
        render(report, console)
        if verdict is not None:
            render_after_report(verdict, console)
        if not unwritten:
            page = live.directory / HTML_NAME
            console.print(f"report: {page}", soft_wrap=True, markup=False)
    if unwritten:
        return FAILED
    if stopped and not report.valid:
        return 128 + stopped
    return played_exit_code(exit_code(report), verdict)


def _write(report: Report, directory: Path, errors: Console) -> bool:
    """Whether it could not be, which is said: what was measured is told all the same."""
    try:
        write_files(report, directory)
    except OSError as error:
        complain("run", errors, error)
        return True
    return False
