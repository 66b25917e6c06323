"""Faults: what befalls attempts that were admitted, in the place of their answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Literal

from target_service.limits import MAX_FAULTS
from target_service.timed import Schedule, Timed

FaultType = Literal["latency", "error", "hang", "reset", "cut"]


@dataclass(frozen=True, slots=True)
class AddedLatency:
    """The answer comes later: by `add_s` ± `spread_s` seconds, uniform, never less than 0."""

    add_s: float
    spread_s: float = 0.0

    def draw_s(self, rng: Random) -> float:
        """The seconds added to one attempt."""
        return max(0.0, rng.uniform(self.add_s - self.spread_s, self.add_s + self.spread_s))


@dataclass(frozen=True, slots=True)
class Error:
    """An answer with this status, and ``Retry-After`` in whole seconds if given."""

    status: int = 500
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, for as long as the client waits."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Half of the answer's body, then the connection is closed; its head promises the whole."""


Ending = Error | Hang | Reset | Cut
"""What an attempt gets instead of its answer."""
Effect = AddedLatency | Ending
"""What one fault does to an attempt that it strikes."""


def type_of(effect: Effect) -> FaultType:
    """The name of this kind of fault."""
    match effect:
        case AddedLatency():
            return "latency"
        case Error():
            return "error"
        case Hang():
            return "hang"
        case Reset():
            return "reset"
        case Cut():
            return "cut"


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """What somebody asks for: the effect, on which share of attempts (0 to 1), when and where.

    `for_s` and `after_s` are seconds: how long, and how soon from now.
    """

    effect: Effect
    for_s: float
    after_s: float = 0.0
    lanes: tuple[str, ...] | None = None
    share: float = 1.0


class Fault(Timed[FaultPlan]):
    """A fault on the grid."""

    __slots__ = ()


class Faults(Schedule[Fault]):
    """The faults that are pending or active, and the last ones that are over."""

    def __init__(self) -> None:
        super().__init__("fault", MAX_FAULTS)

    def plan(self, plan: FaultPlan, start: int, length: int) -> Fault:
        """Enter a fault of `length` ticks from tick `start` on. Raises `TooManyError`."""
        end = start + length
        return self.enter(Fault(self.next_id(), plan, start, end, end))


@dataclass(frozen=True, slots=True)
class Blow:
    """What befalls one attempt: its answer, or what it gets instead, comes `delay_s` later."""

    delay_s: float = 0.0
    ending: Ending | None = None


def fault_for(faults: Iterable[Fault], lane: str, seq: int, rng: Random) -> Blow | None:
    """What befalls one attempt of this lane that is admitted in tick `seq`; None: nothing.

    Each fault in force strikes its share of attempts, independently of the others. Latencies add
    up, and add to whatever else strikes; of other effects that of the oldest fault is seen.
    """
    delay_s, ending, struck = 0.0, None, False
    for fault in faults:
        if not fault.covers(lane, seq) or rng.random() >= fault.plan.share:
            continue
        struck = True
        effect = fault.plan.effect
        if isinstance(effect, AddedLatency):
            delay_s += effect.draw_s(rng)
        elif ending is None:
            ending = effect
    return Blow(delay_s, ending) if struck else None
