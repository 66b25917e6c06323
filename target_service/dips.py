"""Dips: when capacity is lower, in which lanes, and by how much in each tick."""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from aftershock_units import parse_rate_per_s, parse_share
from target_service.limits import MAX_CAPACITY_PER_S, MAX_DIPS

Shape = Literal["step", "ramp"]
State = Literal["pending", "active", "ended", "cancelled"]

LEVEL_FORM = 'a rate per second or a share of the lane\'s capacity, as in "20/s" or "20%"'


class TooManyDipsError(Exception):
    """As many dips as are allowed are pending or active."""


class UnknownDipError(LookupError):
    """There is no dip with this id."""


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


@dataclass(slots=True)
class Dip:
    """A dip on the grid: in force in the ticks `start` ≤ seq < `end`."""

    id: str
    plan: DipPlan
    start: int
    planned_end: int
    end: int

    def state(self, seq: int) -> State:
        """What the dip is in tick `seq`."""
        if self.start == self.end:
            return "cancelled"
        if seq < self.start:
            return "pending"
        return "active" if seq < self.end else "ended"

    def covers(self, lane: str, seq: int) -> bool:
        """Whether the dip is in force in this lane and tick."""
        named = self.plan.lanes is None or lane in self.plan.lanes
        return named and self.start <= seq < self.end

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


class Dips:
    """The dips that are pending or active, and the last ones that are over."""

    def __init__(self) -> None:
        self._live: dict[str, Dip] = {}
        self._over: deque[Dip] = deque(maxlen=MAX_DIPS)
        self._begun = 0

    def __iter__(self) -> Iterator[Dip]:
        """Every dip still known, the oldest first."""
        known = [*self._over, *self._live.values()]
        return iter(sorted(known, key=lambda dip: int(dip.id.removeprefix("dip-"))))

    def plan(self, plan: DipPlan, start: int, length: int) -> Dip:
        """Enter a dip of `length` ticks from tick `start` on. Raises `TooManyDipsError`."""
        if len(self._live) >= MAX_DIPS:
            raise TooManyDipsError
        self._begun += 1
        dip = Dip(f"dip-{self._begun}", plan, start, start + length, start + length)
        self._live[dip.id] = dip
        return dip

    def stop(self, dip_id: str, boundary: int) -> Dip:
        """End a dip when tick `boundary` begins. One that is over stays as it is.

        Raises `UnknownDipError`.
        """
        dip = next((dip for dip in self if dip.id == dip_id), None)
        if dip is None:
            raise UnknownDipError(dip_id)
        if dip.start >= boundary:
            dip.end = dip.start
            self._retire(dip)
        else:
            dip.end = min(dip.end, boundary)
        return dip

    def _retire(self, dip: Dip) -> None:
        if self._live.pop(dip.id, None) is not None:
            self._over.append(dip)

    def retire_before(self, seq: int) -> None:
        """Move dips that are over by tick `seq` out of the way."""
        for dip in [dip for dip in self._live.values() if dip.end <= seq]:
            self._retire(dip)

    def covering(self, lane: str, seq: int) -> Collection[Dip]:
        """The dips in force in this lane and tick."""
        return [dip for dip in self._live.values() if dip.covers(lane, seq)]

    def capacity_per_s(self, lane: str, base_per_s: float, seq: int) -> float:
        """The capacity in force in this lane and tick: of several dips the lowest wins."""
        left = [dip.capacity_per_s(base_per_s, seq) for dip in self.covering(lane, seq)]
        return min(left, default=base_per_s)

    def clear(self) -> None:
        """Forget all dips; ids go on growing."""
        self._live.clear()
        self._over.clear()
