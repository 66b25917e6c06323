"""The verbs of the `aftershock` command: mounts those of each package.

A verb is imported when it is asked for: a gateway needs nothing of what draws reports.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup
from typer.exceptions import TyperException

if TYPE_CHECKING:
    from reports.prediction import Prediction

_HELP = """How long does a retry storm outlast the dip that caused it?

Example: aftershock simulate --policy exponential --policy full-jitter
"""
_MODULES = {
    "run": "loadtests.cli",
    "simulate": "loadtests.simulation.cli",
    "sweep": "loadtests.simulation.sweep.cli",
    "advise": "loadtests.simulation.advising.cli",
    "report": "reports.verbs.report",
    "check": "reports.verbs.check",
    "compare": "reports.verbs.compare",
    "export": "reports.verbs.export",
    "serve": "target_service.cli",
    "gateway": "loadtests.gateway.cli",
    "dip": "faults.cli",
    "fault": "faults.fault_cli",
    "operate": "faults.operate_cli",
    "audit": "loadtests.audit.cli",
    "calibrate": "loadtests.calibration.cli",
    "policies": "loadtests.policies_cli",
}
"""Where each verb is, in the order in which they are listed."""


class _Verbs(TyperGroup):
    """Lists the verbs in this order; Typer by itself lists those with verbs of their own last.

    What is wrong with a command line is one line, as everything else is that is wrong.
    """

    def list_commands(self, _context: object) -> list[str]:
        """The names of the verbs."""
        return sorted(self.commands, key=list(_MODULES).index)

    def make_context(self, *given: Any, **extra: Any) -> Any:
        """Reads what stands before the verb."""
        with _in_one_line():
            return super().make_context(*given, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Reads the rest, and runs it."""
        with _in_one_line():
            return super().invoke(ctx)


@contextmanager
def _in_one_line() -> Iterator[None]:
    try:
        yield
    except TyperException as error:
        message = error.format_message()
        if not message or "\n" in message:
            raise  # a help, asked for by saying nothing
        context: typer.Context | None = getattr(error, "ctx", None)
        typer.echo(f"{context.command_path if context else 'aftershock'}: {message}", err=True)
        raise typer.Exit(error.exit_code) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("aftershock"))
        raise typer.Exit


def _predict(run: Path) -> "Prediction":
    """What the simulation predicts of a run: reports show it, and know no simulation."""
    from loadtests.simulation.predicting import predict  # noqa: PLC0415 - when it is asked for
    from reports.stopping import stops_like_ctrl_c  # noqa: PLC0415 - as above

    with stops_like_ctrl_c():
        return predict(run, Console(stderr=True))


def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """How long does a retry storm outlast the dip that caused it?"""
    context.obj = _predict


def app_for(arguments: Sequence[str] = ()) -> typer.Typer:
    """The command with the verb that `arguments` begin with, or with all of them."""
    app = typer.Typer(
        cls=_Verbs,
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_root)
    asked = arguments[0] if arguments else ""
    for name in [asked] if asked in _MODULES else _MODULES:
        verb: typer.Typer | Callable[..., None] = getattr(import_module(_MODULES[name]), name)
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=name)
        else:
            app.command()(verb)
    return app
