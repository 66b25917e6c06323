"""The options that ``dip``, ``fault`` and ``operate`` have in common."""

from dataclasses import dataclass
from typing import Annotated

import typer

from aftershock_units import parse_duration_s, parse_named
from faults.when import LATEST_S, told

DEFAULT_TARGET = "http://127.0.0.1:8000"


def whole_number(text: str) -> int:
    """The number that an option says, for Typer, which has longer words for it."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text[:32]!r} is not a whole number") from None


ForOption = Annotated[str, typer.Option("--for", metavar="DURATION", help="How long, at most 1h.")]
AfterOption = Annotated[
    str, typer.Option(metavar="DURATION", help="How soon from now, at most 24h.")
]
LaneOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Only this lane; may be repeated. Default: every lane."),
]
TargetOption = Annotated[
    str, typer.Option(envvar="AFTERSHOCK_TARGET", metavar="URL", help="The target.")
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        envvar="AFTERSHOCK_ADMIN_TOKEN",
        metavar="TOKEN",
        show_default=False,
        help="The target's admin token. Better in the variable: others can see options.",
    ),
]


@dataclass(frozen=True, slots=True)
class When:
    """When and where, as the options say it."""

    for_s: float
    after_s: float
    lanes: tuple[str, ...] | None


def read_when(for_: str, after: str, lane: list[str] | None) -> When:
    """What the options say. Raises `ValueError` that names one."""
    after_s = parse_named("after", parse_duration_s, after)
    if after_s > LATEST_S:
        raise ValueError(f"after: it begins at most {told(LATEST_S)} from now, not {told(after_s)}")
    return When(
        for_s=parse_named("for", parse_duration_s, for_),
        after_s=after_s,
        lanes=tuple(lane) if lane else None,
    )
