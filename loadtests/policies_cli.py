"""The verb `aftershock policies`: flags and wiring only."""

from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from loadtests.policies import PRESETS
from loadtests.policy_names import parse_policy, policy_of
from loadtests.policy_pages.facts import facts_of
from loadtests.policy_pages.terminal import render_list, render_one

BAD_INPUT = 2


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
        render_list(PRESETS.values(), Console())


@policies.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="A preset, perhaps with parameters as in urllib3-2:total=3; or a file."
        ),
    ],
) -> None:
    """Show one policy: its rule, parameters, waits, and what an outage comes to.

    Example: aftershock policies grpc-a6
    """
    try:
        render_one(facts_of(policy_of(*parse_policy(name))), Console())
    except ValueError as error:
        Console(stderr=True).print(
            f"aftershock policies: {error}", style="red", markup=False, highlight=False
        )
        raise typer.Exit(BAD_INPUT) from None
