"""What begins and ends by itself on the grid of ticks: dips, faults, an operator's actions."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from target_service.ticks import TickGrid

State = Literal["pending", "active", "ended", "cancelled"]


class TooManyError(Exception):
    """As many things of a `kind` as are allowed are pending or active."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"too many of {kind}")
        self.kind = kind


class UnknownIdError(LookupError):
    """There is nothing of this `kind` with this id."""

    def __init__(self, kind: str, given: str) -> None:
        super().__init__(f"no {kind} {given}")
        self.kind = kind


class Plan(Protocol):
    """What somebody asks for: how long and how soon (seconds), and where."""

    @property
    def for_s(self) -> float:
        """How long."""

    @property
    def after_s(self) -> float:
        """How soon from now."""

    @property
    def lanes(self) -> tuple[str, ...] | None:
        """The lanes it is for; None: every lane, also those to come."""


def span(grid: TickGrid, plan: Plan, seq: int, now_s: float) -> tuple[int, int]:
    """First tick and number of ticks of a plan that is made at `now_s`, while tick `seq` runs.

    Its start is put off to the next tick, its length is whole ticks, at least one.
    """
    start = max(seq + 1, grid.first_at_or_after(now_s + plan.after_s))
    return start, grid.whole(plan.for_s)


PlanT = TypeVar("PlanT", bound=Plan)


@dataclass(slots=True)
class Timed(Generic[PlanT]):
    """A plan on the grid: in force in the ticks `start` ≤ seq < `end`."""

    id: str
    plan: PlanT
    start: int
    planned_end: int
    end: int

    def state(self, seq: int) -> State:
        """What it is in tick `seq`."""
        if self.start == self.end:
            return "cancelled"
        if seq < self.start:
            return "pending"
        return "active" if seq < self.end else "ended"

    def named(self, lane: str) -> bool:
        """Whether it is for this lane."""
        return self.plan.lanes is None or lane in self.plan.lanes

    def covers(self, lane: str, seq: int) -> bool:
        """Whether it is in force in this lane and tick."""
        return self.start <= seq < self.end and self.named(lane)


TimedT = TypeVar("TimedT", bound=Timed)  # type: ignore[type-arg]  # of whichever plan


class Schedule(Generic[TimedT]):
    """The things of a kind that are pending or active, and the last ones that are over."""

    def __init__(self, kind: str, limit: int) -> None:
        """At most `limit` are pending or active; as many that are over are remembered."""
        self.kind = kind
        self._limit = limit
        self._live: dict[str, TimedT] = {}
        self._over: deque[TimedT] = deque(maxlen=limit)
        self._begun = 0

    def __iter__(self) -> Iterator[TimedT]:
        """Everything still known, the oldest first."""
        known = [*self._over, *self._live.values()]
        return iter(sorted(known, key=lambda thing: int(thing.id.rpartition("-")[2])))

    def next_id(self) -> str:
        """An id for the next thing. Raises `TooManyError`; ids only grow."""
        if len(self._live) >= self._limit:
            raise TooManyError(self.kind)
        self._begun += 1
        return f"{self.kind}-{self._begun}"

    def enter(self, thing: TimedT) -> TimedT:
        """Take in a thing that has one of our ids."""
        self._live[thing.id] = thing
        return thing

    def stop(self, given: str, boundary: int) -> TimedT:
        """End a thing when tick `boundary` begins. One that is over stays as it is.

        Raises `UnknownIdError`.
        """
        thing = next((thing for thing in self if thing.id == given), None)
        if thing is None:
            raise UnknownIdError(self.kind, given)
        if thing.start >= boundary:
            thing.end = thing.start
            self._retire(thing)
        else:
            thing.end = min(thing.end, boundary)
        return thing

    def _retire(self, thing: TimedT) -> None:
        if self._live.pop(thing.id, None) is not None:
            self._over.append(thing)

    def retire_before(self, seq: int) -> None:
        """Move what is over by tick `seq` out of the way."""
        for thing in [thing for thing in self._live.values() if thing.end <= seq]:
            self._retire(thing)

    def in_force(self, seq: int) -> list[TimedT]:
        """What is in force in tick `seq`, in some lane, the oldest first."""
        return [thing for thing in self._live.values() if thing.start <= seq < thing.end]

    def covering(self, lane: str, seq: int) -> list[TimedT]:
        """What is in force in this lane and tick, the oldest first."""
        return [thing for thing in self._live.values() if thing.covers(lane, seq)]

    def clear(self) -> None:
        """Forget everything; ids go on growing."""
        self._live.clear()
        self._over.clear()
