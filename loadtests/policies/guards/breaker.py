"""What breakers have in common: the states, the refusal, and a clock that does not step back."""

import math
from dataclasses import dataclass
from enum import IntEnum

from loadtests.policies.actions import StopReason
from loadtests.policies.guards.rule import Refused

BROKEN = Refused(StopReason.BREAKER)
"""The answer of a breaker that lets nothing through."""


class State(IntEnum):
    """Where a breaker is. A number, so that it can be the permit of an attempt."""

    CLOSED = 0
    OPEN = 1
    HALF_OPEN = 2


@dataclass(slots=True)
class Clock:
    """The latest time there was: where a clock steps back, it stands still until that is made up.

    Otherwise a breaker would be open for longer than it says, by as much as the clock stepped.
    """

    latest_s: float = -math.inf

    def at(self, now_s: float) -> float:
        """The time now, or the latest one."""
        self.latest_s = now_s = max(self.latest_s, now_s)
        return now_s
