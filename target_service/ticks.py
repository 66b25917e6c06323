"""The grid of ticks on the target's clock: which tick is it, and when does one begin."""

import math
from dataclasses import dataclass

# A boundary computed as seq * tick_s may come out a hair below itself when it is divided again.
_EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class TickGrid:
    """Ticks of `tick_s` seconds, counted from 0 at the start of the target's clock."""

    tick_s: float

    def seq_at(self, now_s: float) -> int:
        """The number of the tick that `now_s` lies in."""
        return math.floor(now_s / self.tick_s + _EPSILON)

    def start_s(self, seq: int) -> float:
        """When tick `seq` begins, in seconds of the target's clock."""
        return round(seq * self.tick_s, 9)

    def first_at_or_after(self, at_s: float) -> int:
        """The first tick that begins at `at_s` or later."""
        return math.ceil(at_s / self.tick_s - _EPSILON)

    def whole(self, duration_s: float) -> int:
        """`duration_s` as the nearest whole number of ticks, at least one."""
        return max(1, round(duration_s / self.tick_s))
