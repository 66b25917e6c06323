"""The verb `aftershock calibrate`: flags and wiring only."""

import json
import math
import time
from typing import Annotated

import typer
from rich.console import Console

from aftershock_units import format_duration, parse_duration_s, parse_named, parse_rate_per_s
from loadtests.arrivals import Arrivals
from loadtests.calibration.history import History
from loadtests.calibration.planning import MIN_RATE_PER_S, Plan
from loadtests.calibration.request import parse_request
from loadtests.calibration.steps import StepLimits
from loadtests.calibration.task import Task
from loadtests.calibration.telling import Teller, announcement, as_json, conclusion, remarks, tell
from loadtests.calibration.verdict import Finding
from loadtests.verb import BAD_INPUT, FAILED, INTERRUPTED, NOT_VALID, give_up

MAX_CEILING_PER_S = 20_000.0
MAX_IN_FLIGHT = 10_000
WARM_UP_SHARE = 0.2
GRACE_S = 5.0
"""How long to wait before a target on another machine is loaded."""


def calibrate(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    target: Annotated[
        str, typer.Option(metavar="URL", help="What is loaded, as in http://staging:8080/work.")
    ],
    path: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The path, where the URL has none. Default: /."),
    ] = None,
    method: Annotated[str, typer.Option(metavar="METHOD", help="GET, POST, …")] = "GET",
    header: Annotated[
        list[str] | None,
        typer.Option(metavar='"NAME: VALUE"', help="Sent with each request; may be repeated."),
    ] = None,
    ceiling: Annotated[
        str, typer.Option(metavar="RATE", help="Never more than this; at most 20000/s.")
    ] = "1000/s",
    start: Annotated[
        str, typer.Option(metavar="RATE", help="The lightest step; at least 1/s.")
    ] = "10/s",
    latency_bound: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="What p95 may be. Default: three times that of the lightest step, and at least "
            "50 ms above it.",
        ),
    ] = None,
    step: Annotated[
        str,
        typer.Option(metavar="DURATION", help="Of a step, 500ms to 60s; a fifth is warm-up."),
    ] = "5s",
    arrivals: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="constant, or poisson: as uneven as those of many people."
        ),
    ] = "constant",
    timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="Of a request, 10ms to 60s.")
    ] = "5s",
    max_time: Annotated[
        str, typer.Option(metavar="DURATION", help="Of it all, at most 1h.")
    ] = "10m",
    max_in_flight: Annotated[
        int, typer.Option(metavar="NUMBER", help="Requests under way at once, at most 10000.")
    ] = 2000,
    json_: Annotated[
        bool,
        typer.Option("--json", help="The result as JSON; how it goes is told on standard error."),
    ] = False,
) -> None:
    """Find the capacity of a service: raise open-loop load until it no longer keeps up.

    It overloads the target on purpose, for seconds at a time: for staging,
    never for production. Nothing but the URL is loaded; no redirect is
    followed. It ends by itself, in about two minutes.

    Exit code 0: there is an answer; 3: none to be trusted; 2: bad input.

    Example: aftershock calibrate --target http://staging:8080/work --ceiling 500/s
    """
    errors = Console(stderr=True)
    try:
        request = parse_request(target, path, method, header or [])
        plan = _plan(start, ceiling, latency_bound)
        step_s = _duration_s("--step", step, 0.5, 60.0)
        timeout_s = _duration_s("--timeout", timeout, 0.01, 60.0)
        kind = _arrivals(arrivals)
        max_time_s = _duration_s("--max-time", max_time, step_s, 3600.0)
        if not 1 <= max_in_flight <= MAX_IN_FLIGHT:
            raise ValueError(
                f"--max-in-flight: {max_in_flight}: expected a number from 1 to {MAX_IN_FLIGHT}"
            )
    except ValueError as error:
        give_up("calibrate", errors, error, BAD_INPUT)
    limits = StepLimits(step_s * WARM_UP_SHARE, step_s * (1 - WARM_UP_SHARE), max_in_flight)
    told = errors if json_ else Console()
    task = Task(request, plan, limits, timeout_s, max_time_s, kind)
    _announce(told, task)
    raise typer.Exit(_run(task, told, json_))


def _run(task: Task, told: Console, json_: bool) -> int:
    """Calibrate and tell; returns the exit code."""
    # Here and not above: no other verb needs gevent.
    from loadtests.calibration.session import Session, TargetError  # noqa: PLC0415

    errors = Console(stderr=True)
    try:
        with Teller(told, task.limits) as teller:
            session = Session(task, teller)
            verdict = session.run()
    except ValueError as error:
        give_up("calibrate", errors, error, BAD_INPUT)
    except TargetError as error:
        give_up("calibrate", errors, error, BAD_INPUT if error.bad_input else FAILED)
    request = task.request
    history = History(session.results, task.plan.latency_bound_s)
    told.print()
    lines = conclusion(verdict, request, history.baseline)
    tell(told, [*lines, *remarks(request, session.results, history)])
    if json_:
        typer.echo(json.dumps(as_json(verdict, request, session.results, history), indent=2))
    if verdict.finding is Finding.INTERRUPTED:
        return INTERRUPTED
    return 0 if verdict.trusted else NOT_VALID


def _announce(told: Console, task: Task) -> None:
    tell(told, announcement(task.request, task.plan, task.limits, task.max_time_s))
    if not task.request.local:
        tell(
            told,
            [f"The target is not this machine: it begins in {GRACE_S:.0f} s; Ctrl-C stops it."],
        )
        time.sleep(GRACE_S)


def _plan(start: str, ceiling: str, latency_bound: str | None) -> Plan:
    ceiling_per_s = parse_named("--ceiling", parse_rate_per_s, ceiling)
    if not MIN_RATE_PER_S <= ceiling_per_s <= MAX_CEILING_PER_S:
        raise ValueError(f"--ceiling: {ceiling}: expected 1/s to {MAX_CEILING_PER_S:.0f}/s")
    start_per_s = parse_named("--start", parse_rate_per_s, start)
    if not MIN_RATE_PER_S <= start_per_s <= ceiling_per_s:
        raise ValueError(f"--start: {start}: expected 1/s up to the ceiling of {ceiling}")
    bound_s = None
    if latency_bound is not None:
        bound_s = _duration_s("--latency-bound", latency_bound, 0.001, 60.0)
    return Plan(start_per_s, ceiling_per_s, bound_s)


def _arrivals(text: str) -> Arrivals:
    if text not in list(Arrivals):
        raise ValueError(f"--arrivals: {text!r} is none: expected {' or '.join(Arrivals)}")
    return Arrivals(text)


def _duration_s(name: str, text: str, low_s: float, high_s: float) -> float:
    seconds = parse_named(name, parse_duration_s, text)
    if not (math.isfinite(seconds) and low_s <= seconds <= high_s):
        raise ValueError(
            f"{name}: {text}: expected {format_duration(low_s)} to {format_duration(high_s)}"
        )
    return seconds
