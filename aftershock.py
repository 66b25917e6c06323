"""The `aftershock` command: mounts the verbs of each package, nothing else."""

from importlib.metadata import version
from typing import Annotated

import typer
from typer.core import TyperGroup

from faults.cli import dip
from faults.fault_cli import fault
from faults.operate_cli import operate
from loadtests.audit.cli import audit
from loadtests.calibration.cli import calibrate
from loadtests.cli import run
from loadtests.gateway.cli import gateway
from loadtests.policies_cli import policies
from reports.cli import report
from target_service.cli import serve

_ORDER = (
    *("run", "report", "serve", "gateway", "dip", "fault", "operate"),
    *("audit", "calibrate", "policies"),
)


class _InOrder(TyperGroup):
    """Lists the verbs in this order; Typer by itself lists those with verbs of their own last."""

    def list_commands(self, _context: object) -> list[str]:
        """The names of the verbs."""
        return sorted(self.commands, key=_ORDER.index)


app = typer.Typer(
    cls=_InOrder,
    help="How long does a retry storm outlast the dip that caused it?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("aftershock"))
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """How long does a retry storm outlast the dip that caused it?"""


for _verb in (run, report, serve, gateway, dip, fault, audit, calibrate):
    app.command()(_verb)
app.add_typer(operate, name="operate")
app.add_typer(policies, name="policies")


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
