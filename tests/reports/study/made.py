"""Runs whose storms are known: how long each lasts is what is said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from reports.reading.read import parse_record
from reports.record import RECORD_NAME, Fault
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape, plain, storm

NEVER = 300
"""Ticks: a storm that outlasts the run."""
TICKS_A_SECOND = 10


def made(**storms: int) -> Made:
    """A lane each, whose storm lasts so many ticks of 0.1 s after the dip."""
    return Made([Shape(name, plain(storm(ticks))) for name, ticks in storms.items()])


@cache
def _folded(storms: tuple[tuple[str, int], ...]) -> Report:
    return fold(parse_record(made(**dict(storms)).encoded()))


def report(
    seed: int, scenario: Mapping[str, object] | None = None, why: str = "", **storms: int
) -> Report:
    """The report of a run with this seed, of such lanes; not valid where there is a `why`."""
    found = _folded(tuple(storms.items()))
    run = replace(found.run, id=f"run-{seed}", seed=seed, scenario=scenario or {})
    return replace(found, run=run, invalid_because=(why,) if why else ())


def reports(storms: Sequence[int], scenario: Mapping[str, object] | None = None) -> list[Report]:
    """A run for each length of the storm of a lane ``a``, with seeds from 0 on."""
    return [report(seed, scenario, a=ticks) for seed, ticks in enumerate(storms)]


def twice(first: int, second: int) -> Made:
    """Two dips of 2 s, from 10 s and from 25 s on, after each of which a storm lasts so long."""
    load = [
        20 if 100 <= tick < 120 + first or 250 <= tick < 270 + second else 9 for tick in range(420)
    ]
    return Made(
        [Shape("a", plain(load))],
        capacity=lambda tick: 2.0 if 100 <= tick < 120 or 250 <= tick < 270 else 10.0,
        dips=[
            Fault("dip", "dip-1", 10.0, 12.0, "20/s"),
            Fault("dip", "dip-2", 25.0, 27.0, "20/s"),
        ],
    )


def write(run: Made, folder: Path, seed: int) -> Path:
    """The record of `run` with this seed in a new folder, as no other run's."""
    folder.mkdir(parents=True)
    text = run.encoded().replace(b'"seed":7', f'"seed":{seed}'.encode())
    text = text.replace(b"20261130-101500", folder.name.encode())
    (folder / RECORD_NAME).write_bytes(text)
    return folder
