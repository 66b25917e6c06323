"""What a measure is: one entry of the catalogue, of which all tables and files are made."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from reports.measuring.recovery import Figures
from reports.statistics.value import Value


class Unit(Enum):
    """What a measure, or a limit of it, is in."""

    SECONDS = "s"
    MULTIPLE = "times the trigger"
    COUNT = "count"
    RATE = "per second"
    FACTOR = "factor"
    SHARE = "share"


class Part(Enum):
    """Which table a measure stands in."""

    RECOVERY = "recovery"
    COST = "cost"
    SERVICE = "service"


class Better(Enum):
    """Which way is better, if any is."""

    LESS = "less"
    MORE = "more"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    `name` is the one in files and ends with the unit, `title` the one in tables, `brief` the one
    where a table has 80 columns; without it the measure does not stand there. `of` takes it of the
    figures of a lane: `None` where it cannot be measured, late where it had not come about.
    `limits` are the units in which one can be set; the first is its own. `always`: it can be
    measured of any lane. `lack` is said where it had not come about; with a `verdict` that says
    that the lane did not recover.
    """

    name: str
    title: str
    unit: Unit
    part: Part
    meaning: str
    of: Callable[[Figures], Value | None]
    brief: str = ""
    better: Better = Better.LESS
    limits: tuple[Unit, ...] = ()
    always: bool = False
    lack: str = "did not come about"
    verdict: bool = False

    @property
    def word(self) -> str:
        """As an option calls it: ``settled``, ``first-fit``, ``worst-amplification``."""
        bare = self.name.removesuffix("_s").removesuffix("_per").removesuffix("_attempts")
        return bare.replace("_", "-")

    def plain(self, figures: Figures) -> float | None:
        """As a number for programs; `None` for what did not come about, or cannot be measured."""
        found = self.of(figures)
        return None if found is None or found.late else found.amount
