"""What the target says at its admin API, read from JSON into values that cannot change."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from faults.statuses import ActionStatus, DipStatus, FaultStatus

Value = TypeVar("Value")

LINES_AT_ONCE = 10


class NotOursError(ValueError):
    """An answer that is not one of the target's."""


@dataclass(frozen=True, slots=True)
class LaneState:
    """A lane's base capacity and the one in force, attempts per second."""

    capacity_per_s: float
    in_force_per_s: float


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The workers of each lane and the queue before them, in the words of the target's options."""

    workers: int
    service_time: str | None
    queue: int
    discipline: str
    abandoned: str
    max_wait: str | None
    shed_first: str
    heed_deadlines: bool


@dataclass(frozen=True, slots=True)
class RefusalState:
    """What the target says with a refusal, likewise."""

    status: int
    retry_after: str | None
    retry_after_as: str
    pushback: str | None
    do_not_retry: bool
    owns_errors: bool


@dataclass(frozen=True, slots=True)
class TargetState:
    """The target as it stands: `now_s` on its own clock, which is `epoch_s` on the wall."""

    now_s: float
    epoch_s: float
    tick_s: float
    seq: int
    capacity_per_s: float
    lanes: dict[str, LaneState]
    dips: tuple[DipStatus, ...]
    version: str
    faults: tuple[FaultStatus, ...] = ()
    actions: tuple[ActionStatus, ...] = ()
    service: ServiceState | None = None
    turn_away_cost: float = 0.0
    refusal: RefusalState | None = None
    shared_app: bool = False


@dataclass(frozen=True, slots=True)
class LaneTick:
    """One lane in one tick; lists count by attempt number, place 0 is unknown numbers."""

    capacity_per_s: float
    offered: tuple[int, ...]
    admitted: tuple[int, ...]
    turned_away: tuple[int, ...]
    completed: tuple[int, ...]
    abandoned: tuple[int, ...]
    queue: int
    blocked: tuple[int, ...] = ()
    shed: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()
    in_flight: int = 0


@dataclass(frozen=True, slots=True)
class TickRow:
    """A finished tick: it began at `t_s`, its end was noticed `lag_s` late, it took `cpu_s`."""

    seq: int
    t_s: float
    lag_s: float
    cpu_s: float
    lanes: dict[str, LaneTick]


@dataclass(frozen=True, slots=True)
class TracedAttempt:
    """An attempt of a marked request: it arrived at `t_s` of the target's clock.

    `numbers` is what each header that counts attempts said, by its name in lower case.
    """

    t_s: float
    attempt: int
    lane: str
    outcome: str
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the target saw of a marked request, and how many attempts more than it keeps."""

    id: str
    attempts: tuple[TracedAttempt, ...]
    left_off: int = 0


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field of what was asked."""

    field: str
    problem: str


@dataclass(frozen=True, slots=True)
class TargetError:
    """What the target says when it does not do what it was asked.

    `error` is its name of it; `fields` are those that are wrong, if it is about fields.
    """

    error: str
    message: str
    fields: tuple[FieldProblem, ...] = ()


_DIP = TypeAdapter(DipStatus)
_DIPS = TypeAdapter(list[DipStatus])
_FAULT = TypeAdapter(FaultStatus)
_FAULTS = TypeAdapter(list[FaultStatus])
_ACTION = TypeAdapter(ActionStatus)
_ACTIONS = TypeAdapter(list[ActionStatus])
_TICK = TypeAdapter(TickRow)
_STATE = TypeAdapter(TargetState)
_TRACE = TypeAdapter(Trace)
_ERROR = TypeAdapter(TargetError)


def _read(adapter: TypeAdapter[Value], text: bytes, what: str) -> Value:
    try:
        return adapter.validate_json(text)
    except ValidationError:
        raise NotOursError(f"it is not {what}") from None


def read_dip(text: bytes) -> DipStatus:
    """One dip. Raises `NotOursError`, as all readers here do."""
    return _read(_DIP, text, "a dip")


def read_dips(text: bytes) -> list[DipStatus]:
    """A list of dips."""
    return _read(_DIPS, text, "a list of dips")


def read_fault(text: bytes) -> FaultStatus:
    """One fault."""
    return _read(_FAULT, text, "a fault")


def read_faults(text: bytes) -> list[FaultStatus]:
    """A list of faults."""
    return _read(_FAULTS, text, "a list of faults")


def read_action(text: bytes) -> ActionStatus:
    """One action of an operator."""
    return _read(_ACTION, text, "an action")


def read_actions(text: bytes) -> list[ActionStatus]:
    """A list of actions."""
    return _read(_ACTIONS, text, "a list of actions")


def read_ticks(text: bytes, pause: Callable[[], None] = lambda: None) -> list[TickRow]:
    """Finished ticks, one a line. `pause` is called every few lines: a page takes long to read."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        rows.append(_read(_TICK, line, "a list of ticks"))
        if number % LINES_AT_ONCE == 0:
            pause()
    return rows


def read_state(text: bytes) -> TargetState:
    """The state of the target."""
    return _read(_STATE, text, "the state of a target")


def read_trace(text: bytes) -> Trace:
    """What was seen of a marked request."""
    return _read(_TRACE, text, "a trace")


def read_error(text: bytes) -> TargetError:
    """An error."""
    return _read(_ERROR, text, "an error of a target")
