"""Makes something happen by hand and tells about it: a bar on a terminal, lines for everybody."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from aftershock_units import format_duration, parse_named
from faults.admin import AdminClient, AdminError, TargetState
from faults.driver import Driver, StatusT
from faults.http import split_url
from faults.signals import StoppedBySignalError
from faults.statuses import ActionStatus, DipStatus, FaultStatus

Status = DipStatus | FaultStatus | ActionStatus

_FIELD = re.compile("[a-z_]+")
_OPTIONS = {"lanes": "lane", "at": "after", "type": "", "action": ""}
"""Where an option has another name than the field, or there is none."""

BAD_INPUT = 2
FAILED = 1

_Show = Callable[[Status, float], None]
"""Shows how far something is at an instant of the target's clock."""


def as_option(message: str) -> str:
    """A message that begins with the name of a field, with the option in its place."""
    field, colon, rest = message.partition(": ")
    option = _OPTIONS.get(field, field if _FIELD.fullmatch(field) else "")
    return f"--{option.replace('_', '-')}{colon}{rest}" if option and colon else message


def fail(verb: str, message: object, code: int) -> NoReturn:
    """Leave with one line on standard error."""
    typer.echo(f"aftershock {verb}: {as_option(str(message))}", err=True)
    raise typer.Exit(code)


def client_of(target: str, token: str | None) -> AdminClient:
    """A client. Raises `ValueError` that names the option."""
    parse_named("target", split_url, target)
    return AdminClient(target, token)


def _show_nothing(_status: Status, _now_s: float) -> None:
    """Where there is no terminal, the lines that say when it began and ended are enough."""


def _turned_away(status: Status) -> str:
    """How much a reopening turns away now."""
    if isinstance(status, ActionStatus) and status.action == "reopen":
        return f", {status.share_text} turned away"
    return ""


@contextmanager
def _progress(console: Console, kind: str) -> Iterator[_Show]:
    """A bar on a terminal."""
    if not console.is_terminal:
        yield _show_nothing
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(kind, total=1.0, left="")

        def show(status: Status, now_s: float) -> None:
            waiting = status.state == "pending"
            until_s = (status.start_s if waiting else status.end_s) - now_s
            share = (now_s - status.start_s) / max(status.end_s - status.start_s, 1e-9)
            how = "begins" if waiting else f"in force{_turned_away(status)}"
            progress.update(
                task,
                description=f"{status.id} {how}",
                completed=min(max(share, 0.0), 1.0),
                left=f"{'in' if waiting else 'for'} {max(until_s, 0.0):.1f} s",
            )

        yield show


class _Teller:
    """Prints, once each, when it began and when it ended, by the clock on the wall.

    Of a reopening also each step.
    """

    def __init__(self, console: Console, planned: Status, state: TargetState) -> None:
        """`planned` is how it was made; `state` says how the target's clock is set."""
        self._console = console
        self._planned = planned
        self._wall_s = state.epoch_s - state.now_s
        self._began = False
        self._steps = _turned_away(planned)

    def look(self, status: Status, now_s: float) -> bool:
        """Say that it has begun when it has, and what has changed. True when it begins."""
        begins = not self._began and status.state in {"active", "ended"}
        if begins:
            self._began = True
            lanes = "every lane" if status.lanes is None else ", ".join(status.lanes)
            began = self._at(status.start_s)
            self._say(f"{status.id} began at {began}: {status.what}, {lanes}")
        if not status.over and _turned_away(status) != self._steps:
            self._steps = _turned_away(status)
            self._say(f"{status.id} from {self._at(now_s)} on{self._steps}")
        return begins and status.state == "active"

    def note(self, remark: str) -> None:
        """Say what is remarkable about it, if anything is."""
        if remark:
            self._say(f"note: {remark}")

    def end(self, status: Status) -> None:
        """Say that it is over, and whether that is before its time."""
        lasted = format_duration(status.end_s - status.start_s)
        if isinstance(status, ActionStatus) and status.all_open:
            self._say(f"{status.id} ended at {self._at(status.end_s)} after {lasted}: all is open")
        elif status.end_s >= self._planned.end_s:
            left = (
                f"{still} until then; now all is let through"
                if (still := _turned_away(status))
                else ""
            )
            self._say(f"{status.id} ended at {self._at(status.end_s)} after {lasted}{left}")
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


def _play(client: AdminClient, driver: Driver[StatusT]) -> None:
    """Make it happen and tell about it. Raises `AdminError` and `StoppedBySignalError`."""
    console = Console()
    before = client.state()
    with _telling(driver, console, before) as teller, _progress(console, driver.kind) as show:
        for status, now_s in driver.follow():
            if teller.look(status, now_s) and driver.state is not None:
                teller.note(driver.remark(driver.state))
            show(status, now_s)


@contextmanager
def _telling(driver: Driver[StatusT], console: Console, before: TargetState) -> Iterator[_Teller]:
    """Enter the driver; however it is left, say how it ended."""
    try:
        with driver as planned:
            yield _Teller(console, planned, before)
    finally:
        # Also of what was stopped while it was being made: `planned` is not there then.
        if driver.take_back_error is not None:
            typer.echo(f"the {driver.kind} ends by itself: {driver.take_back_error}", err=True)
        elif driver.planned is not None and driver.status is not None:
            _Teller(console, driver.planned, before).end(driver.status)


def _why(error: AdminError) -> str:
    """Why the target has not done it: for a field that is wrong its option, and no address."""
    if error.said is not None and error.said.fields:
        first = error.said.fields[0]
        return f"{first.field.partition('.')[0]}: {first.problem}"
    return str(error)


def play(verb: str, client: AdminClient, driver: Driver[StatusT]) -> None:
    """Make it happen, and leave as a command does when that cannot be done or is stopped."""
    try:
        _play(client, driver)
    except AdminError as error:
        fail(verb, _why(error), BAD_INPUT if error.status == 422 else FAILED)
    except StoppedBySignalError as stopped:
        raise typer.Exit(128 + stopped.number) from None
