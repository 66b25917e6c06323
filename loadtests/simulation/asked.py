"""What is to be simulated, as the command line says it."""

from dataclasses import dataclass
from pathlib import Path

from loadtests.overrides import Flags, change_scenario, read_scenario
from loadtests.scenario import Scenario, ScenarioError
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import default_processes

MAX_PROCESSES = 256


@dataclass(frozen=True, slots=True)
class Asked:
    """A scenario's file, or a run to be like, or neither; what flags change; and who plays it."""

    file: Path | None
    flags: Flags
    like: Path | None
    engine: Engine

    def given(self) -> list[str]:
        """What of it was said, as it is written."""
        said = [str(self.file)] if self.file else []
        return [*said, *(["--like"] if self.like else []), *self.flags.given()]


def planned(asked: Asked) -> tuple[Scenario, list[str]]:
    """The scenario, and remarks about its policies. Raises `ScenarioError`, naming the file."""
    if asked.like is None:
        return read_scenario(asked.file, asked.flags)
    if asked.file is not None:
        raise ScenarioError(f"--like takes the scenario of a run: leave {asked.file} out")
    # Here and not above: what reads records takes long to import, and nothing else here needs it.
    from loadtests.simulation.predicting import liken  # noqa: PLC0415

    found = liken(asked.like)
    return change_scenario(found.scenario, asked.flags), list(found.notes)


def parse_engine(text: str) -> Engine:
    """The engine of this name. Raises `ValueError`, naming those there are."""
    if text not in list(Engine):
        raise ValueError(f"--engine: {text[:32]!r} is none: expected auto, events or ticks")
    return Engine(text)


def bounded(name: str, number: int, most: int) -> int:
    """The number. Raises `ValueError`, naming the flag, where it is not from 1 to `most`."""
    if not 1 <= number <= most:
        raise ValueError(f"{name}: {number}: expected 1 to {most}")
    return number


def processes_of(asked: int | None) -> int:
    """How many simulate: one a core unless said. Raises `ValueError` for what cannot be."""
    if asked is None:
        return min(default_processes(), MAX_PROCESSES)
    return bounded("--processes", asked, MAX_PROCESSES)
