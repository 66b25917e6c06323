"""``aftershock operate``: what operators do against a storm, by hand."""

from collections.abc import Callable
from typing import Annotated

import typer

from aftershock_units import parse_duration_s, parse_named, parse_share
from faults.action import OperatorAction
from faults.driver import ActionDriver
from faults.options import (
    DEFAULT_TARGET,
    AfterOption,
    ForOption,
    LaneOption,
    TargetOption,
    TokenOption,
    When,
    read_when,
)
from faults.playing import BAD_INPUT, client_of, fail, play

operate = typer.Typer(
    help="Turn attempts away at the target's edge, as operators do against a storm.\n\n"
    "Example: aftershock operate shed --share 90% --for 10s",
    no_args_is_help=True,
)


def _act(
    verb: str,
    target: str,
    token: str | None,
    read: Callable[[], tuple[OperatorAction, When]],
) -> None:
    """Make the action happen that `read` makes of the options, which may raise `ValueError`."""
    try:
        client = client_of(target, token)
        wanted, when = read()
    except ValueError as error:
        fail(f"operate {verb}", error, BAD_INPUT)
    play(f"operate {verb}", client, ActionDriver(client, wanted, when.after_s))


@operate.command()
def shed(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    share: Annotated[
        str, typer.Option(metavar="PERCENT", help="Which share of the attempts that arrive.")
    ],
    for_: ForOption = "10s",
    after: AfterOption = "0s",
    lane: LaneOption = None,
    target: TargetOption = DEFAULT_TARGET,
    token: TokenOption = None,
) -> None:
    """Turn a random share of attempts away, before anything else, at no cost.

    Waits until the action is over; stopped before that it takes it back.

    Example: aftershock operate shed --share 90% --for 10s
    """

    def read() -> tuple[OperatorAction, When]:
        when = read_when(for_, after, lane)
        turned_away = parse_named("share", parse_share, share)
        return OperatorAction("shed", when.for_s, lanes=when.lanes, share=turned_away), when

    _act("shed", target, token, read)


@operate.command("block-retries")
def block_retries(
    for_: ForOption = "10s",
    after: AfterOption = "0s",
    lane: LaneOption = None,
    target: TargetOption = DEFAULT_TARGET,
    token: TokenOption = None,
) -> None:
    """Turn attempts with a number above 1 away.

    Waits until the action is over; stopped before that it takes it back.

    Example: aftershock operate block-retries --for 30s
    """

    def read() -> tuple[OperatorAction, When]:
        when = read_when(for_, after, lane)
        return OperatorAction("block-retries", when.for_s, lanes=when.lanes), when

    _act("block-retries", target, token, read)


@operate.command()
def reopen(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    step: Annotated[
        str, typer.Option(metavar="PERCENT", help="How much more is let through each time.")
    ] = "20%",
    every: Annotated[
        str, typer.Option(metavar="DURATION", help="How long a step lasts at least.")
    ] = "5s",
    max_errors: Annotated[
        str,
        typer.Option(metavar="PERCENT", help="Step on with at most this share of errors."),
    ] = "5%",
    for_: ForOption = "10m",
    after: AfterOption = "0s",
    lane: LaneOption = None,
    target: TargetOption = DEFAULT_TARGET,
    token: TokenOption = None,
) -> None:
    """Let one step of traffic through, and one more each time it went well.

    Over when everything is let through; stopped before that (Ctrl-C, SIGTERM)
    it lets everything through at once.

    Example: aftershock operate reopen --step 20% --every 5s --max-errors 5%
    """

    def read() -> tuple[OperatorAction, When]:
        when = read_when(for_, after, lane)
        wanted = OperatorAction(
            action="reopen",
            for_s=when.for_s,
            lanes=when.lanes,
            step=parse_named("step", parse_share, step),
            every_s=parse_named("every", parse_duration_s, every),
            max_errors=parse_named("max_errors", parse_share, max_errors),
        )
        return wanted, when

    _act("reopen", target, token, read)
