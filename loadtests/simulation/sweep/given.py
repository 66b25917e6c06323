"""What the command line gives a map and a search alike: all but which field is varied, and how."""

from dataclasses import dataclass
from pathlib import Path

from loadtests.imports import printable
from loadtests.overrides import Flags, Values
from loadtests.simulation.engines import Engine
from loadtests.simulation.workers import Workers


@dataclass(frozen=True, slots=True)
class Given:
    """A scenario's values, in which the flags are already; who plays it; and where it is written.

    Without an `out` a map has a folder of its own, and a search writes nothing.
    """

    file: Path | None
    values: Values
    flags: Flags
    engine: Engine
    workers: Workers
    out: Path | None

    @property
    def source(self) -> str:
        """What the scenario is called in messages."""
        return printable(str(self.file)) if self.file else "the default scenario"
