"""``aftershock dip``: triggers a dip by hand, shows it, and takes it back when it is stopped."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from aftershock_units import format_duration, parse_duration_s, parse_named
from faults.admin import AdminClient, AdminError, DipStatus, TargetState
from faults.dip import Dip, parse_shape
from faults.driver import DipDriver
from faults.signals import StoppedBySignalError

DEFAULT_TARGET = "http://127.0.0.1:8000"
_BAD_INPUT = 2
_FAILED = 1


class _Fail(typer.Exit):
    """Leave with one line on standard error."""

    def __init__(self, message: object, code: int) -> None:
        typer.echo(f"aftershock dip: {message}", err=True)
        super().__init__(code)


def _client(target: str, token: str | None) -> AdminClient:
    try:
        return AdminClient(target, token)
    except ValueError as error:
        raise ValueError(f"target: {error}") from None


_Show = Callable[[DipStatus, float], None]
"""Shows how far a dip is at an instant of the target's clock."""


def _show_nothing(_status: DipStatus, _now_s: float) -> None:
    """Where there is no terminal, the lines that say when it began and ended are enough."""


@contextmanager
def _progress(console: Console) -> Iterator[_Show]:
    """A bar on a terminal."""
    if not console.is_terminal:
        yield _show_nothing
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("dip", total=1.0, left="")

        def show(status: DipStatus, now_s: float) -> None:
            waiting = status.state == "pending"
            until_s = (status.start_s if waiting else status.end_s) - now_s
            share = (now_s - status.start_s) / max(status.end_s - status.start_s, 1e-9)
            progress.update(
                task,
                description=f"{status.id} {'begins' if waiting else 'in force'}",
                completed=min(max(share, 0.0), 1.0),
                left=f"{'in' if waiting else 'for'} {max(until_s, 0.0):.1f} s",
            )

        yield show


class _Teller:
    """Prints, once each, when the dip began and when it ended, by the clock on the wall."""

    def __init__(self, console: Console, planned: DipStatus, state: TargetState) -> None:
        """`planned` is the dip when it was made; `state` says how the target's clock is set."""
        self._console = console
        self._planned = planned
        self._wall_s = state.epoch_s - state.now_s
        self._began = False

    def look(self, status: DipStatus) -> None:
        """Say that the dip has begun when it has."""
        if not self._began and status.state in {"active", "ended"}:
            self._began = True
            lanes = "every lane" if status.lanes is None else ", ".join(status.lanes)
            began = self._at(status.start_s)
            self._say(f"{status.id} began at {began}: {status.capacity}, {lanes}")

    def end(self, status: DipStatus) -> None:
        """Say that the dip is over, and whether that is before its time."""
        lasted = format_duration(status.end_s - status.start_s)
        if status.end_s >= self._planned.end_s:
            self._say(f"{status.id} ended at {self._at(status.end_s)} after {lasted}")
        elif status.end_s == status.start_s:
            self._say(f"{status.id} was taken back early: it never began")
        else:
            planned = format_duration(self._planned.end_s - self._planned.start_s)
            ended = f"it ended at {self._at(status.end_s)} after {lasted} of {planned}"
            self._say(f"{status.id} was taken back early: {ended}")

    def _at(self, target_s: float) -> str:
        at_s = self._wall_s + target_s
        return f"{time.strftime('%H:%M:%S', time.localtime(at_s))}.{int(at_s % 1 * 1000):03d}"

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _play(client: AdminClient, wanted: Dip, after_s: float) -> None:
    """Make the dip happen and tell about it. Raises `AdminError` and `StoppedBySignalError`."""
    console = Console()
    before = client.state()
    driver = DipDriver(client, wanted, after_s)
    with _telling(driver, console, before) as teller, _progress(console) as show:
        for status, now_s in driver.follow():
            teller.look(status)
            show(status, now_s)


@contextmanager
def _telling(driver: DipDriver, console: Console, before: TargetState) -> Iterator[_Teller]:
    """Enter the driver; however it is left, say how the dip ended."""
    teller: _Teller | None = None
    try:
        with driver as planned:
            teller = _Teller(console, planned, before)
            yield teller
    finally:
        if driver.take_back_error is not None:
            typer.echo(f"the dip ends by itself: {driver.take_back_error}", err=True)
        elif teller is not None and driver.status is not None:
            teller.end(driver.status)


def dip(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    capacity: Annotated[
        str, typer.Option(metavar="RATE|PERCENT", help='What is left, as in "20/s" or "20%".')
    ],
    for_: Annotated[
        str, typer.Option("--for", metavar="DURATION", help="How long, at most 1h.")
    ] = "2s",
    after: Annotated[
        str, typer.Option(metavar="DURATION", help="How soon from now, at most 24h.")
    ] = "0s",
    lane: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this lane; may be repeated. Default: every lane."),
    ] = None,
    shape: Annotated[
        str, typer.Option(metavar="step|ramp", help="Down at once, or evenly down and up again.")
    ] = "step",
    target: Annotated[
        str, typer.Option(envvar="AFTERSHOCK_TARGET", metavar="URL", help="The target.")
    ] = DEFAULT_TARGET,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="AFTERSHOCK_ADMIN_TOKEN",
            metavar="TOKEN",
            show_default=False,
            help="The target's admin token. Better in the variable: others can see options.",
        ),
    ] = None,
) -> None:
    """Lower the target's capacity for a while, during any test.

    Waits until the dip is over. Stopped before that (Ctrl-C, SIGTERM) it
    takes the dip back. Whatever happens to it, the dip ends by itself.

    Example: aftershock dip --capacity 20% --for 2s
    """
    try:
        client = _client(target, token)
        lanes = tuple(lane) if lane else None
        wanted = Dip(
            capacity,
            parse_named("for", parse_duration_s, for_),
            shape=parse_shape(shape),
            lanes=lanes,
        )
        after_s = parse_named("after", parse_duration_s, after)
    except ValueError as error:
        raise _Fail(error, _BAD_INPUT) from None
    try:
        _play(client, wanted, after_s)
    except AdminError as error:
        raise _Fail(error, _BAD_INPUT if error.status == 422 else _FAILED) from None
    except StoppedBySignalError as stopped:
        raise typer.Exit(128 + stopped.number) from None
