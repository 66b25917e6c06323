"""The verb `aftershock policies`: flags and wiring only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from loadtests.imports import import_policy
from loadtests.opaque.catalogue import OPAQUE
from loadtests.policies import PRESETS, PolicyError
from loadtests.policy_pages.facts import facts_of
from loadtests.policy_pages.terminal import render_import, render_list, render_one
from loadtests.scenario import choose_policy
from loadtests.verb import BAD_INPUT, give_up


class _ShowByDefault(TyperGroup):
    """``policies NAME`` is ``policies show NAME``: a word that is no verb here names a policy."""

    # Typer keeps click's types to itself, so that they cannot be named here.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that the first word names, or else `show` with all the words."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


policies = typer.Typer(cls=_ShowByDefault, no_args_is_help=False)


@policies.callback(invoke_without_command=True)
def _list(context: typer.Context) -> None:
    """List the retry policies, show one, or import one from a configuration file.

    Examples: aftershock policies; aftershock policies urllib3-2:total=3,backoff_factor=100ms
    """
    if context.invoked_subcommand is None:
        render_list(PRESETS.values(), OPAQUE.values(), Console())


@policies.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="A preset, perhaps with parameters as in urllib3-2:total=3; a configuration file, "
            "as in service_config.json; or package.module:factory."
        ),
    ],
) -> None:
    """Show one policy: its rule, parameters, waits, and what an outage comes to.

    Example: aftershock policies grpc-a6
    """
    with _refusals():
        render_one(facts_of(choose_policy(name).source()), Console())


@policies.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="gRPC service config, Envoy, Istio, Linkerd, AWS or resilience4j; "
            "aws-env for the AWS_ variables alone."
        ),
    ],
    select: Annotated[
        str | None,
        typer.Option(help="Which policy, when the file has several.", metavar="NAME"),
    ] = None,
) -> None:
    """Show the policy that a configuration file makes, what is ignored of it, and why.

    The file can be named wherever a preset can: aftershock run --policy service_config.json

    Example: aftershock policies import service_config.json --select weather.Forecasts/Get
    """
    with _refusals():
        imported = import_policy(file, select, os.environ)
        console = Console()
        render_import(imported, console)
        render_one(facts_of(imported.preset()), console)


@contextmanager
def _refusals() -> Iterator[None]:
    """Bad input in red, and exit code 2."""
    try:
        yield
    except (ValueError, OSError, PolicyError) as error:
        give_up("policies", Console(stderr=True), error, BAD_INPUT)
