"""``aftershock dip``: triggers a dip by hand, shows it, and takes it back when it is stopped."""

from typing import Annotated

import typer

from aftershock_units import parse_duration_s, parse_named
from faults.dip import Dip, parse_shape
from faults.driver import DipDriver
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


def dip(  # noqa: PLR0913, PLR0917 - a verb has as many arguments as options
    capacity: Annotated[
        str | None,
        typer.Option(metavar="RATE|PERCENT", help='What is left, as in "20/s" or "20%".'),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=whole_number,
            help="Or: the workers left, of a target that has workers.",
        ),
    ] = None,
    service_time: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Or: the mean service time meanwhile."),
    ] = None,
    for_: ForOption = "2s",
    after: AfterOption = "0s",
    lane: LaneOption = None,
    shape: Annotated[
        str, typer.Option(metavar="step|ramp", help="Down at once, or evenly down and up again.")
    ] = "step",
    slow_start: Annotated[
        str,
        typer.Option(metavar="DURATION", help="Climb back evenly in this time, after --for."),
    ] = "0s",
    target: TargetOption = DEFAULT_TARGET,
    token: TokenOption = None,
) -> None:
    """Lower the target's capacity for a while, during any test.

    Say how far by one of --capacity, --workers and --service-time. Waits
    until the dip is over. Stopped before that (Ctrl-C, SIGTERM) it takes the
    dip back. Whatever happens to it, the dip ends by itself.

    Example: aftershock dip --capacity 20% --for 2s
    """
    try:
        if [capacity, workers, service_time].count(None) != 2:
            raise ValueError("give exactly one of --capacity, --workers and --service-time")
        client = client_of(target, token)
        when = read_when(for_, after, lane)
        service_time_s = (
            None
            if service_time is None
            else parse_named("service_time", parse_duration_s, service_time)
        )
        wanted = Dip(
            capacity,
            when.for_s,
            shape=parse_shape(shape),
            lanes=when.lanes,
            workers=workers,
            service_time_s=service_time_s,
            slow_start_s=parse_named("slow_start", parse_duration_s, slow_start),
        )
    except ValueError as error:
        fail("dip", error, BAD_INPUT)
    play("dip", client, DipDriver(client, wanted, when.after_s))
