"""The verb `aftershock run`: flags and wiring only."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from faults.admin import AdminError
from faults.options import whole_number
from loadtests.overrides import (
    chosen_policies,
    dips_of,
    override,
    override_service,
    override_top,
    remarks,
    spikes_of,
)
from loadtests.processes import ProcessError
from loadtests.run import LiveRun, Service, check_own_target, check_target, run_live
from loadtests.scenario import (
    Scenario,
    ScenarioError,
    load_scenario_values,
    parse_scenario,
)
from reports.files import HTML_NAME, write_files
from reports.lines import RecordError
from reports.summary import build_report
from reports.terminal import render

BAD_INPUT = 2
NOT_VALID = 3


def run(  # noqa: PLR0913, PLR0917 - one argument a flag
    scenario: Annotated[
        Path | None,
        typer.Argument(
            help="A scenario in TOML; without one, five policies and one dip: 95/s against 100/s."
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Run only this policy; repeatable: a preset (`aftershock policies` lists them), "
            "with parameters as in urllib3-2:total=3, a real library as in opaque-urllib3, a "
            "configuration file, or package.module:factory.",
            metavar="NAME",
        ),
    ] = None,
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
    out: Annotated[
        Path, typer.Option(help="Where a folder is made for each run.", metavar="DIR")
    ] = Path("runs"),
    rate: Annotated[
        str | None, typer.Option(help='New requests per lane, as in "95/s".', metavar="RATE")
    ] = None,
    path: Annotated[
        str | None, typer.Option(help="What is asked for. Default: /work.", metavar="PATH")
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(help='Capacity of each lane, as in "100/s".', metavar="RATE"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Workers of each lane, with a queue before them, in place of a capacity.",
            metavar="NUMBER",
            parser=whole_number,
        ),
    ] = None,
    service_time: Annotated[
        str | None,
        typer.Option(
            help='How long a worker takes, as in "100ms" or "exponential 100ms".', metavar="TIME"
        ),
    ] = None,
    arrivals: Annotated[
        str | None, typer.Option(help="constant or poisson.", metavar="KIND")
    ] = None,
    dip: Annotated[
        str | None,
        typer.Option(
            help='As in "20% for 2s"; several with ";". After the warm-up, unless "at 9s" is said.',
            metavar="DIPS",
        ),
    ] = None,
    spike: Annotated[
        str | None,
        typer.Option(
            help='More load for a while, as in "3x for 2s"; several with ";". In place of the '
            "default dip, and when it would begin.",
            metavar="SPIKES",
        ),
    ] = None,
    warm_up: Annotated[
        str | None, typer.Option(help='Load before the dip, as in "10s".', metavar="TIME")
    ] = None,
    observation: Annotated[
        str | None, typer.Option(help='How long to watch after it, as in "30s".', metavar="TIME")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of arrivals and jitter.", metavar="NUMBER", parser=whole_number),
    ] = None,
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

    Flags override the scenario. Exit code 0: the run is valid; 3: it is not; 2: bad input.

    Example: aftershock run --policy full-jitter --capacity 500/s --rate 475/s
    """
    errors = Console(stderr=True)
    try:
        values = load_scenario_values(scenario) if scenario else {}
        override(values, "load", rate=rate, arrivals=arrivals, path=path)
        override_service(values, capacity, workers, service_time)
        override_top(values, warm_up=warm_up, observation=observation, seed=seed)
        if policy:
            values["policies"] = chosen_policies(values, policy)
        if dip is not None:
            values["dips"] = dips_of(dip)
        if spike is not None:
            values["spikes"] = spikes_of(spike)
        planned = parse_scenario(values)
        for remark in remarks(values):
            errors.print(f"note: {remark}", markup=False, highlight=False)
        service = _service(planned, target, admin_url, token, errors)
        live = run_live(planned, service, token, out, Console())
    except ValueError as error:
        raise _fail(errors, error, BAD_INPUT) from None
    except (AdminError, ProcessError, OSError) as error:
        raise _fail(errors, error, 1) from None
    raise typer.Exit(_report(live, errors))


def _service(
    planned: Scenario, target: str | None, admin_url: str | None, token: str, errors: Console
) -> Service | None:
    """The service that runs already; None when a target is to be started."""
    if not target:
        if admin_url:
            raise ScenarioError("--admin-url needs --target: a target of our own has its own")
        check_own_target(planned)
        return None
    service = Service(target, admin_url)
    if difference := check_target(service.admin_url, token, planned):
        errors.print(f"note: {difference}", markup=False, highlight=False)
    return service


def _fail(errors: Console, error: Exception, code: int) -> typer.Exit:
    """One line a mistake."""
    for line in str(error).splitlines():
        errors.print(f"aftershock run: {line}", style="red", markup=False, highlight=False)
    return typer.Exit(code)


def _report(live: LiveRun, errors: Console) -> int:
    """Print the report of a run that has ended; returns the exit code."""
    if live.interrupted:
        errors.print("ended early; the report covers what there is")
    elif live.exit_code != 0:
        errors.print(f"the load generator failed:\n{live.last_words}", markup=False)
    if not live.has_record:
        return BAD_INPUT if live.exit_code == BAD_INPUT else 1
    try:
        report = build_report(live.directory)
        render(report, Console())
        write_files(report, live.directory)
    except (RecordError, OSError) as error:
        errors.print(f"aftershock run: {error}", style="red", markup=False, highlight=False)
        return 1
    Console().print(f"report: {live.directory / HTML_NAME}", soft_wrap=True, markup=False)
    return 0 if report.valid else NOT_VALID
