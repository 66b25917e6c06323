"""How low a dip goes, and how a lane keeps to a lower capacity: fewer workers or slower ones."""

import math
from dataclasses import dataclass
from typing import Protocol

from aftershock_units import parse_rate_per_s, parse_share
from target_service.limits import MAX_CAPACITY_PER_S
from target_service.service.times import parse_mean_s

LEVEL_FORM = 'a rate per second or a share of the lane\'s capacity, as in "20/s" or "20%"'


@dataclass(frozen=True, slots=True)
class InForce:
    """What a lane can do now: of the reject model the rate alone, else by so many workers.

    `stretch` is how many times longer than usual a worker takes.
    """

    capacity_per_s: float
    workers: int = 0
    stretch: float = 1.0


@dataclass(frozen=True, slots=True)
class Base:
    """What a lane can do without dips. `workers` None: the reject model; `mean_s` where it is set.

    Workers need not be whole: a base capacity that was changed is worth a fraction of one more.
    """

    capacity_per_s: float
    workers: float | None = None
    mean_s: float | None = None

    @property
    def in_force(self) -> InForce:
        """All of it."""
        return self.with_fewer_workers(self.capacity_per_s)

    def with_fewer_workers(self, capacity_per_s: float) -> InForce:
        """This capacity by whole workers, just so much slower that it is exact."""
        if self.workers is None or not self.capacity_per_s:
            return InForce(capacity_per_s)
        wanted = self.workers * capacity_per_s / self.capacity_per_s
        workers = math.ceil(wanted - 1e-9)
        return InForce(capacity_per_s, workers, workers / wanted if workers else 1.0)

    def with_slower_workers(self, capacity_per_s: float) -> InForce:
        """This capacity by as many workers as ever, each taking longer."""
        usual = self.in_force
        if not capacity_per_s:
            return InForce(0.0)
        slower = usual.stretch * self.capacity_per_s / capacity_per_s
        return InForce(capacity_per_s, usual.workers, slower)


class LevelDoesNotFitError(ValueError):
    """A dip of a kind that this target cannot do; says why."""


class Level(Protocol):
    """How low a dip goes."""

    @property
    def text(self) -> str:
        """The level as it was given."""

    def of(self, base: Base) -> float:
        """The capacity that is left of the base, per second. A dip never raises capacity."""

    def keep_to(self, base: Base, capacity_per_s: float) -> InForce:
        """How the lane has this capacity, which lies between the base and the level."""

    def check(self, base: Base) -> None:
        """Raise `LevelDoesNotFitError` where a lane with this base cannot dip so."""


class _ByWorkers:
    """Lowers capacity by the number of workers, where there are workers."""

    __slots__ = ()

    def keep_to(self, base: Base, capacity_per_s: float) -> InForce:
        """By fewer workers."""
        return base.with_fewer_workers(capacity_per_s)

    def check(self, base: Base) -> None:
        """Any lane can."""


@dataclass(frozen=True, slots=True)
class RateLevel(_ByWorkers):
    """Down to a rate per second."""

    text: str
    per_s: float

    def of(self, base: Base) -> float:
        """At most the base."""
        return min(base.capacity_per_s, self.per_s)


@dataclass(frozen=True, slots=True)
class ShareLevel(_ByWorkers):
    """Down to a share, 0 to 1, of the lane's base capacity."""

    text: str
    share: float

    def of(self, base: Base) -> float:
        """The share of the base."""
        return base.capacity_per_s * self.share


@dataclass(frozen=True, slots=True)
class WorkersLevel(_ByWorkers):
    """Down to a number of workers."""

    workers: int

    @property
    def text(self) -> str:
        """``2 workers``."""
        return f"{self.workers} worker{'s' * (self.workers != 1)}"

    def of(self, base: Base) -> float:
        """In proportion to the workers."""
        if not base.workers:
            return base.capacity_per_s
        return base.capacity_per_s * min(1.0, self.workers / base.workers)

    def check(self, base: Base) -> None:
        """Only a lane with workers can."""
        if base.workers is None:
            raise LevelDoesNotFitError("this target has no workers: give a capacity")


@dataclass(frozen=True, slots=True)
class ServiceTimeLevel:
    """The mean service time stretched to this."""

    given: str
    mean_s: float

    @property
    def text(self) -> str:
        """``service time 100ms``."""
        return f"service time {self.given}"

    def of(self, base: Base) -> float:
        """In proportion to the mean service times."""
        usual_s = base.mean_s or self.mean_s
        return base.capacity_per_s * min(1.0, usual_s / self.mean_s)

    def keep_to(self, base: Base, capacity_per_s: float) -> InForce:
        """By slower workers."""
        return base.with_slower_workers(capacity_per_s)

    def check(self, base: Base) -> None:
        """Only a lane with a service time of its own can."""
        if base.mean_s is None:
            raise LevelDoesNotFitError("this target has no service time of its own")


def parse_capacity_per_s(text: str) -> float:
    """The rate in ``"100/s"``. Raises `ValueError` naming what is allowed, also above the limit."""
    per_s = parse_rate_per_s(text)
    if per_s > MAX_CAPACITY_PER_S:
        raise ValueError(f"{text!r} is too much: at most {MAX_CAPACITY_PER_S:.0f}/s is allowed")
    return per_s


def parse_level(text: str) -> Level:
    """The level in ``"20/s"`` or ``"20%"``. Raises `ValueError` naming what is allowed."""
    if text.strip().endswith("%"):
        return ShareLevel(text.strip(), parse_share(text))
    if "/" not in text:
        raise ValueError(f"{text[:32]!r} is not {LEVEL_FORM}")
    return RateLevel(text.strip(), parse_capacity_per_s(text))


def parse_service_time_level(text: str) -> ServiceTimeLevel:
    """The level in ``"100ms"``. Raises `ValueError` naming what is allowed."""
    return ServiceTimeLevel(text.strip(), parse_mean_s(text))
