"""Dips: when capacity is lower, in which lanes, and by how much in each tick."""

from dataclasses import dataclass
from typing import Literal

from target_service.levels import Base, InForce, Level
from target_service.limits import MAX_DIPS
from target_service.timed import Schedule, Timed

Shape = Literal["step", "ramp"]


@dataclass(frozen=True, slots=True)
class DipPlan:
    """What somebody asks for: how low, how long and how soon (seconds), where, in which shape.

    After `for_s` capacity climbs back evenly in `slow_start_s`, which belongs to the dip.
    """

    level: Level
    for_s: float
    after_s: float = 0.0
    lanes: tuple[str, ...] | None = None
    shape: Shape = "step"
    slow_start_s: float = 0.0


@dataclass(slots=True)
class Dip(Timed[DipPlan]):
    """A dip on the grid; its last `slow_start` ticks are the slow start."""

    slow_start: int = 0

    def capacity_per_s(self, base: Base, seq: int) -> float:
        """What the dip leaves of the base in tick `seq`, which it covers.

        A step goes down at once and up at once, or evenly where it has a slow start. A ramp falls
        evenly until the middle of the dip as planned and climbs evenly from there. Each tick has
        the capacity of its own middle.
        """
        floor = self.plan.level.of(base)
        return floor + (base.capacity_per_s - floor) * (1 - self._depth(seq))

    def _depth(self, seq: int) -> float:
        """How far down tick `seq` is: 1 at the level, 0 at the base."""
        if self.plan.shape == "ramp":
            half = (self.planned_end - self.start) / 2
            return 1 - abs(seq + 0.5 - self.start - half) / half
        climbed = seq + 0.5 - (self.planned_end - self.slow_start)
        return 1 - climbed / self.slow_start if climbed > 0 else 1.0

    def keep_to(self, base: Base, seq: int) -> InForce:
        """How a lane does what the dip leaves of its base."""
        return self.plan.level.keep_to(base, self.capacity_per_s(base, seq))


class Dips(Schedule[Dip]):
    """The dips that are pending or active, and the last ones that are over."""

    def __init__(self) -> None:
        super().__init__("dip", MAX_DIPS)

    def plan(self, plan: DipPlan, start: int, length: int, slow_start: int = 0) -> Dip:
        """Enter a dip of `length` ticks from tick `start` on, and a slow start after these.

        Raises `TooManyError`.
        """
        end = start + length + slow_start
        return self.enter(Dip(self.next_id(), plan, start, end, end, slow_start))

    def keep_to(self, lane: str, base: Base, seq: int) -> InForce:
        """What is in force in this lane and tick: of several dips the lowest wins."""
        left = [dip.keep_to(base, seq) for dip in self.covering(lane, seq)]
        return min(left, key=lambda found: found.capacity_per_s, default=base.in_force)
