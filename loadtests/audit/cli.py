"""The verb `aftershock audit`: flags and wiring only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from aftershock_units import format_rate, parse_duration_s, parse_named
from faults.admin import AdminError, GatewayError
from faults.playing import BAD_INPUT, client_of, fail
from faults.signals import StoppedBySignalError
from loadtests.audit import auditor
from loadtests.audit.answer import Sender
from loadtests.audit.auditor import Auditor, AuditPlan, LaneInUseError
from loadtests.audit.course import Audit, Verdict
from loadtests.audit.own_call import CallSender, load_call
from loadtests.audit.refusals import METHODS, REFUSALS, parse_methods, parse_refusals
from loadtests.audit.sending import OURS, EntrySender, url_of
from loadtests.audit.terminal import render
from loadtests.audit.to_json import to_json
from loadtests.header_lines import parse_headers
from target_service.lanes import checked_name

EXIT_CODES = {Verdict.NO_RETRIES: 0, Verdict.RETRIES: 1, Verdict.UNKNOWN: 3}
NOT_DONE = EXIT_CODES[Verdict.UNKNOWN]
LONGEST_S = 120.0


def audit(  # noqa: PLR0913, PLR0917 - one argument a flag
    entry: Annotated[
        str, typer.Option(metavar="URL", help="Where your clients send: the outermost layer.")
    ],
    target: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="AFTERSHOCK_TARGET",
            help="The target behind it, reached directly: its admin API refuses and counts.",
        ),
    ],
    path: Annotated[
        str, typer.Option(metavar="PATH", help="What is asked for, below the entry.")
    ] = "/work",
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METHOD", help=f"Default: GET and POST; repeatable. One of {', '.join(METHODS)}"
        ),
    ] = None,
    refusal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"Only this one; repeatable. One of {', '.join(REFUSALS)}."
        ),
    ] = None,
    timeout: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long to wait for an answer; longer than the layers' own timeouts, or their "
            "retries of a missing answer are not seen. At most 2m.",
        ),
    ] = "10s",
    pause: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="Wait before each refusal, for layers that avoid a server that failed lately.",
        ),
    ] = "0s",
    lane: Annotated[
        str, typer.Option(metavar="NAME", help="The target's lane, in which nobody else is.")
    ] = "audit",
    through: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help="Send by this function of yours, called with method, URL and headers: an SDK "
            "retries too.",
            show_default=False,
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME: VALUE",
            help="Sent along, such as a Host; repeatable.",
            show_default=False,
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="AFTERSHOCK_ADMIN_TOKEN",
            metavar="TOKEN",
            show_default=False,
            help="The target's admin token. Better in the variable: others can see options.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Find what retries between you and the service, and how often.

    Sends single marked requests to the entry while the target refuses them
    in each way it can, and counts the attempts that arrive.

    Exit code 0: nothing retries; 1: something does; 2: bad input; 3: it
    cannot be told.

    Example: aftershock audit --entry http://mesh:8080 --target http://service:8000
    """
    try:
        wanted = AuditPlan(
            entry=entry,
            target=target,
            methods=parse_methods(method or ()),
            refusals=parse_refusals(refusal or ()),
            lane=parse_named("lane", checked_name, lane),
            timeout_s=parse_named("timeout", _bounded_s, timeout),
            pause_s=parse_named("pause", _pause_s, pause),
            headers=parse_headers("header", header or (), OURS),
        )
        sender: Sender = EntrySender(entry, path, wanted.timeout_s)
        if through is not None:
            sender = CallSender(load_call(through), url_of(entry, path), wanted.timeout_s)
        admin = client_of(target, token)
    except ValueError as error:
        fail("audit", error, BAD_INPUT)
    raise typer.Exit(_audit(Auditor(admin, sender, wanted), as_json=as_json))


def _audit(running: Auditor, *, as_json: bool) -> int:
    """Run it to its end, or as far as it gets, and print what was seen. Returns the exit code."""
    try:
        with _progress(Console(stderr=True)) as progress:
            running.run(progress)
    except GatewayError as error:
        typer.echo(f"aftershock audit: {error} as --target", err=True)
        return BAD_INPUT
    except (AdminError, LaneInUseError) as error:
        typer.echo(f"aftershock audit: {error}", err=True)
        _ended_early(running, as_json=as_json)
        return NOT_DONE
    except StoppedBySignalError as stopped:
        _ended_early(running, as_json=as_json)
        return 128 + stopped.number
    finally:
        if running.still_refusing is not None:
            typer.echo(f"the refusal ends by itself: {running.still_refusing}", err=True)
        if (usual_per_s := running.found_raised_per_s) is not None:
            typer.echo(
                "the lane's capacity was raised already, as a killed audit leaves it: it is set "
                f"to the target's {format_rate(usual_per_s)}",
                err=True,
            )
        if running.still_raised is not None:
            typer.echo(f"the lane's capacity stays raised: {running.still_raised}", err=True)
    seen = running.audit()
    _print(seen, as_json=as_json)
    return EXIT_CODES[seen.verdict]


def _ended_early(running: Auditor, *, as_json: bool) -> None:
    """Show what was seen until then, if anything was."""
    seen = running.audit()
    if seen.requests:
        typer.echo("ended early; this is what was seen until then", err=True)
        _print(seen, as_json=as_json)


def _print(seen: Audit, *, as_json: bool) -> None:
    if as_json:
        typer.echo(to_json(seen), nl=False)
    else:
        render(seen, Console())


@contextmanager
def _progress(console: Console) -> Iterator[auditor.Progress]:
    """A bar on a terminal."""
    if not console.is_terminal:
        yield lambda _what, _done, _of: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=1)

        def show(what: str, done: int, of: int) -> None:
            progress.update(task, description=what, completed=done, total=of)

        yield show


def _bounded_s(text: str) -> float:
    seconds = parse_duration_s(text)
    if not 0.01 <= seconds <= LONGEST_S:
        raise ValueError("expected a duration from 10ms to 2m")
    return seconds


def _pause_s(text: str) -> float:
    seconds = parse_duration_s(text)
    if seconds > LONGEST_S:
        raise ValueError("expected a duration of at most 2m")
    return seconds
