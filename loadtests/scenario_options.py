"""The options of every verb that plays a scenario: what they change in it is in `overrides`."""

from pathlib import Path
from typing import Annotated

import typer

from faults.options import whole_number

ScenarioArgument = Annotated[
    Path | None,
    typer.Argument(
        help="A scenario in TOML; without one, five policies and one dip: 95/s against 100/s.",
        show_default=False,
    ),
]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Run only this policy; repeatable: a preset (`aftershock policies` lists them), "
        "with parameters as in urllib3-2:total=3, a real library as in opaque-urllib3, a "
        "configuration file, or package.module:factory. One that the scenario lists keeps the "
        "scenario's parameters.",
        metavar="NAME",
    ),
]
OutOption = Annotated[
    Path, typer.Option(help="Where a folder is made for each run.", metavar="DIR")
]
RateOption = Annotated[
    str | None, typer.Option(help='New requests per lane, as in "95/s".', metavar="RATE")
]
UtilisationOption = Annotated[
    str | None,
    typer.Option(help='The same as a part of the capacity, as in "95%" or 0.95.', metavar="SHARE"),
]
PathOption = Annotated[
    str | None, typer.Option(help="What is asked for. Default: /work.", metavar="PATH")
]
CapacityOption = Annotated[
    str | None, typer.Option(help='Capacity of each lane, as in "100/s".', metavar="RATE")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        help="Workers of each lane, with a queue before them, in place of a capacity.",
        metavar="NUMBER",
        parser=whole_number,
    ),
]
ServiceTimeOption = Annotated[
    str | None,
    typer.Option(
        help='How long a worker takes, as in "100ms" or "exponential 100ms".', metavar="TIME"
    ),
]
ArrivalsOption = Annotated[str | None, typer.Option(help="constant or poisson.", metavar="KIND")]
DipOption = Annotated[
    str | None,
    typer.Option(
        help='As in "20% for 2s", or "20% for 2s every 30s repeat 10"; several with ";". After the '
        'warm-up, unless "at 9s" is said.',
        metavar="DIPS",
    ),
]
FaultOption = Annotated[
    str | None,
    typer.Option(
        help='Other faults, as in "latency add 200ms share 50% for 5s; hang for 2s at 12s". In '
        "place of the default dip, and when it would begin.",
        metavar="FAULTS",
    ),
]
SpikeOption = Annotated[
    str | None,
    typer.Option(
        help='More load for a while, as in "3x for 2s"; several with ";". In place of the '
        "default dip, and when it would begin.",
        metavar="SPIKES",
    ),
]
WarmUpOption = Annotated[
    str | None, typer.Option(help='Load before the dip, as in "10s".', metavar="TIME")
]
ObservationOption = Annotated[
    str | None, typer.Option(help='How long to watch after it, as in "30s".', metavar="TIME")
]
SeedOption = Annotated[
    int | None,
    typer.Option(help="Seed of arrivals and jitter.", metavar="NUMBER", parser=whole_number),
]
EngineOption = Annotated[
    str,
    typer.Option(
        help="events: continuous time, every feature; ticks: whole ticks at a time, for the "
        "reject model, and as fast for a million requests a tick as for ten; auto: the faster "
        "one that can do the scenario.",
        metavar="NAME",
    ),
]
ProcessesOption = Annotated[
    int | None,
    typer.Option(
        help="Processes that simulate; they change no figure. Default: one a core.",
        metavar="NUMBER",
        parser=whole_number,
    ),
]
