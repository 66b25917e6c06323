"""Reopening in steps: let more through when what is let through goes well."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from target_service.meter import LaneTick


def errors_in(tick: LaneTick) -> int:
    """What went wrong in a tick that no operator was the cause of."""
    refused = sum(tick.turned_away) - sum(tick.blocked)
    return refused + sum(tick.shed) + sum(tick.failed) + sum(tick.abandoned)


def let_through_in(tick: LaneTick) -> int:
    """What came past the operator in a tick."""
    return sum(tick.offered) - sum(tick.blocked)


@dataclass(slots=True)
class _LaneSteps:
    """How far one lane is open, and what was seen since the last decision about it."""

    taken: int = 1
    ticks: int = 0
    let_through: int = 0
    errors: int = 0


class Reopening:
    """Every lane begins one step open, the rest being shed, and is decided on by itself.

    After each `every` ticks a lane opens by one step more if at most `max_errors` of what was let
    through in these ticks went wrong (errors ≤ max_errors · let through), and else stays as it
    is. Where nothing was let through and nothing went wrong it opens.
    """

    def __init__(self, step: float, every: int, max_errors: float) -> None:
        """`step` and `max_errors` are shares, above 0 and from 0 to 1; `every` is in ticks."""
        self._step = step
        self._every = every
        self._max_errors = max_errors
        # Three steps of a third are everything, whatever their floating sum is.
        self._steps = math.ceil(1 / step - 1e-9)
        self._lanes: dict[str, _LaneSteps] = {}

    def share(self, lane: str) -> float:
        """The share of this lane's attempts that is shed now."""
        taken = self._lanes[lane].taken if lane in self._lanes else 1
        return 0.0 if taken >= self._steps else 1 - taken * self._step

    def shares(self) -> dict[str, float]:
        """The share shed now, by lane, of the lanes seen so far."""
        return {lane: self.share(lane) for lane in self._lanes}

    @property
    def highest_share(self) -> float:
        """The share shed now in the lane that is least open; before any is seen, the first."""
        return max(self.shares().values(), default=self.share(""))

    @property
    def over(self) -> bool:
        """Every lane seen so far is open."""
        taken = [lane.taken for lane in self._lanes.values()]
        return bool(taken) and min(taken) >= self._steps

    def close_tick(self, ticks: Mapping[str, LaneTick]) -> None:
        """A tick in which this was in force is over; `ticks` are those of the lanes it is for."""
        for name, tick in ticks.items():
            lane = self._lanes.setdefault(name, _LaneSteps())
            lane.ticks += 1
            lane.let_through += let_through_in(tick)
            lane.errors += errors_in(tick)
            if lane.ticks == self._every:
                well = lane.errors <= self._max_errors * lane.let_through + 1e-9
                taken = min(lane.taken + well, self._steps)
                self._lanes[name] = _LaneSteps(taken)
