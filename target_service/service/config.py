"""What a service with workers and a queue is: its settings, checked, and what they come to."""

from dataclasses import dataclass
from enum import StrEnum

from target_service.service.times import ServiceTime


class Abandoned(StrEnum):
    """What becomes of an attempt whose client has gone."""

    FINISH = "finish"
    """It keeps its place and is worked on all the same, as in most services."""
    DROP = "drop"
    """It keeps its place until a worker would take it; what is being worked on is finished."""
    STOP = "stop"
    """It leaves at once, also from the middle of the work."""


class ShedFirst(StrEnum):
    """Who goes when an attempt arrives and the queue is full."""

    ARRIVING = "arriving"
    PRIORITY = "priority"
    """The least urgent, of these the newest."""
    ATTEMPT = "attempt"
    """The one with the highest attempt number, of these the newest."""


class Order(StrEnum):
    """Who is next."""

    FIFO = "fifo"
    LIFO = "lifo"
    CODEL = "codel"


@dataclass(frozen=True, slots=True)
class Discipline:
    """Who is next in the queue. `target_s` and `interval_s` are for `codel` alone (`Waiting`)."""

    order: Order = Order.FIFO
    target_s: float = 0.005
    interval_s: float = 0.1


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Workers, and the queue in front of them.

    Without a `time` a worker is held as long as the app behind the gate takes. `turn_away_cost` is
    the share of a mean service time that refusing an attempt takes from a worker. What has waited
    longer than `max_wait_s` is shed when a worker is free, or when the queue is full.
    """

    workers: int
    time: ServiceTime | None = None
    queue: int = 1000
    discipline: Discipline = Discipline()
    abandoned: Abandoned = Abandoned.FINISH
    turn_away_cost: float = 0.0
    max_wait_s: float | None = None
    shed_first: ShedFirst = ShedFirst.ARRIVING
    heed_deadlines: bool = False

    @property
    def capacity_per_s(self) -> float | None:
        """``workers ÷ mean service time``; None where the service time is the app's."""
        return None if self.time is None else self.workers / self.time.mean_s
