"""``aftershock fault``: another fault than a dip by hand, with the same life as a dip."""

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from aftershock_units import parse_duration_s, parse_named, parse_share
from faults.driver import FaultDriver
from faults.fault import ServiceFault, parse_fault_type
from faults.options import (
    DEFAULT_TARGET,
    AfterOption,
    ForOption,
    LaneOption,
    TargetOption,
    TokenOption,
    read_when,
    whole_number,
)
from faults.playing import BAD_INPUT, client_of, fail, play

Value = TypeVar("Value")


def optional(name: str, parse: Callable[[str], Value], text: str | None) -> Value | None:
    """What an option says, if it is given. Raises `ValueError` that names it."""
    return None if text is None else parse_named(name, parse, text)


def fault(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    type_: Annotated[
        str,
        typer.Argument(metavar="TYPE", help="latency, error, hang, reset or cut."),
    ],
    share: Annotated[
        str, typer.Option(metavar="PERCENT", help="Which share of the admitted attempts.")
    ] = "100%",
    add: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="latency: how much later answers come."),
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="latency: ± up to this, uniform. Default: 0s."),
    ] = None,
    status: Annotated[
        int | None,
        typer.Option(
            metavar="400..599", parser=whole_number, help="error: the status. Default: 500."
        ),
    ] = None,
    retry_after: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="error: sent as Retry-After, in whole seconds."),
    ] = None,
    for_: ForOption = "2s",
    after: AfterOption = "0s",
    lane: LaneOption = None,
    target: TargetOption = DEFAULT_TARGET,
    token: TokenOption = None,
) -> None:
    """Let admitted attempts get something else than their answer, for a while.

    latency: the answer comes later. error: an answer with an error status.
    hang: no answer. reset: the connection is reset. cut: half of the answer.

    Waits until the fault is over. Stopped before that (Ctrl-C, SIGTERM) it
    takes the fault back. Whatever happens to it, the fault ends by itself.

    Example: aftershock fault latency --add 200ms --spread 50ms --share 50% --for 5s
    """
    try:
        client = client_of(target, token)
        when = read_when(for_, after, lane)
        wanted = ServiceFault(
            type=parse_fault_type(type_),
            for_s=when.for_s,
            lanes=when.lanes,
            share=parse_named("share", parse_share, share),
            add_s=optional("add", parse_duration_s, add),
            spread_s=optional("spread", parse_duration_s, spread),
            status=status,
            retry_after_s=optional("retry_after", parse_duration_s, retry_after),
        )
    except ValueError as error:
        fail("fault", error, BAD_INPUT)
    play("fault", client, FaultDriver(client, wanted, when.after_s))
