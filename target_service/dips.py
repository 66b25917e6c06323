"""Dips: when capacity is lower, in which lanes, and by how much in each tick."""

from dataclasses import dataclass
from typing import Literal, Protocol

from aftershock_units import parse_rate_per_s, parse_share
from target_service.limits import MAX_CAPACITY_PER_S, MAX_DIPS
from target_service.timed import Schedule, Timed

Shape = Literal["step", "ramp"]

LEVEL_FORM = 'a rate per second or a share of the lane\'s capacity, as in "20/s" or "20%"'


class Level(Protocol):
    """How low a dip goes."""

    @property
    def text(self) -> str:
        """The level as it was given."""

    def of(self, base_per_s: float) -> float:
        """The capacity that is left of `base_per_s`, per second."""


@dataclass(frozen=True, slots=True)
class RateLevel:
    """Down to a rate per second."""

    text: str
    per_s: float

    def of(self, base_per_s: float) -> float:
        """A dip never raises capacity: at most the base."""
        return min(base_per_s, self.per_s)


@dataclass(frozen=True, slots=True)
class ShareLevel:
    """Down to a share, 0 to 1, of the lane's base capacity."""

    text: str
    share: float

    def of(self, base_per_s: float) -> float:
        """The share of the base."""
        return base_per_s * self.share


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


@dataclass(frozen=True, slots=True)
class DipPlan:
    """What somebody asks for: how low, how long and how soon (seconds), where, in which shape."""

    level: Level
    for_s: float
    after_s: float = 0.0
    lanes: tuple[str, ...] | None = None
    shape: Shape = "step"


class Dip(Timed[DipPlan]):
    """A dip on the grid."""

    __slots__ = ()

    def capacity_per_s(self, base_per_s: float, seq: int) -> float:
        """What the dip leaves of the base in tick `seq`, which it covers.

        A step goes down at once and up at once. A ramp falls evenly until the middle of the dip as
        planned and climbs evenly from there, each tick having the capacity of its own middle.
        """
        floor = self.plan.level.of(base_per_s)
        if self.plan.shape == "step":
            return floor
        half = (self.planned_end - self.start) / 2
        depth = 1 - abs(seq + 0.5 - self.start - half) / half
        return base_per_s - (base_per_s - floor) * depth


class Dips(Schedule[Dip]):
    """The dips that are pending or active, and the last ones that are over."""

    def __init__(self) -> None:
        super().__init__("dip", MAX_DIPS)

    def plan(self, plan: DipPlan, start: int, length: int) -> Dip:
        """Enter a dip of `length` ticks from tick `start` on. Raises `TooManyError`."""
        end = start + length
        return self.enter(Dip(self.next_id(), plan, start, end, end))

    def capacity_per_s(self, lane: str, base_per_s: float, seq: int) -> float:
        """The capacity in force in this lane and tick: of several dips the lowest wins."""
        left = [dip.capacity_per_s(base_per_s, seq) for dip in self.covering(lane, seq)]
        return min(left, default=base_per_s)
