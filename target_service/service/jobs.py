"""One attempt as the service model sees it, and what can become of it."""

import math
from enum import Enum

DEFAULT_PRIORITY = 3
"""What RFC 9218 takes where nothing is said; 0 is the most urgent, 7 the least."""


class Verdict(Enum):
    """What is said to an attempt that arrives."""

    TAKEN = "taken"
    """It is admitted: it waits, or a worker has it already."""
    FULL = "full"
    """Turned away: there is no room."""
    EXPIRED = "expired"
    """Turned away: its deadline is over."""
    BLOCKED = "blocked"
    """Turned away at the edge, by an operator."""


class Fate(Enum):
    """How an attempt leaves the service."""

    SERVED = "served"
    SHED = "shed"
    """Refused after it had waited: it waited too long, or made room for another."""
    EXPIRED = "expired"
    """Its deadline was over when a worker took it."""


class State(Enum):
    """Where an attempt is in the service."""

    WAITING = "waiting"
    IN_SERVICE = "in service"
    OUT = "out"


_OUT = State.OUT
"""Named once, here and elsewhere: what an enum has is slow to look up in Python 3.11."""


class Job:
    """One attempt in the service.

    `deadline_s` is on the clock of the model: no work is begun for it from then on. The other times
    are the model's to set: from `stale_s` on it has waited too long.
    """

    __slots__ = (
        "arrived_s", "attempt", "deadline_s", "ended_s", "gone", "priority", "stale_s",
        "started_s", "state",
    )  # fmt: skip

    def __init__(
        self,
        attempt: int = 0,
        priority: int = DEFAULT_PRIORITY,
        deadline_s: float | None = None,
    ) -> None:
        self.attempt = attempt
        self.priority = priority
        self.deadline_s = deadline_s
        self.arrived_s = 0.0
        self.stale_s = math.inf
        self.started_s = 0.0
        self.ended_s = 0.0
        self.gone = False
        self.state = _OUT
