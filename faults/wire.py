"""What the target says at its admin API, read from JSON into values that cannot change."""

import json
from dataclasses import dataclass
from typing import Any

from aftershock_units import parse_duration_s


class NotOursError(ValueError):
    """An answer that is not one of the target's."""


@dataclass(frozen=True, slots=True)
class DipStatus:
    """A dip at the target; times are seconds of the target's clock."""

    id: str
    start_s: float
    end_s: float
    capacity: str
    for_s: float
    lanes: tuple[str, ...] | None
    shape: str
    state: str

    @property
    def over(self) -> bool:
        """Whether it has ended, or was cancelled before it began."""
        return self.state in {"ended", "cancelled"}


@dataclass(frozen=True, slots=True)
class LaneState:
    """A lane's base capacity and the one in force, attempts per second."""

    capacity_per_s: float
    in_force_per_s: float


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


@dataclass(frozen=True, slots=True)
class TickRow:
    """A finished tick: it began at `t_s`, its end was noticed `lag_s` late, it took `cpu_s`."""

    seq: int
    t_s: float
    lag_s: float
    cpu_s: float
    lanes: dict[str, LaneTick]


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise NotOursError("it is not JSON") from None


def _dip(said: Any) -> DipStatus:
    lanes = said["lanes"]
    return DipStatus(
        id=str(said["id"]),
        start_s=float(said["start_s"]),
        end_s=float(said["end_s"]),
        capacity=str(said["capacity"]),
        for_s=parse_duration_s(said["for"]),
        lanes=None if lanes is None else tuple(str(lane) for lane in lanes),
        shape=str(said["shape"]),
        state=str(said["state"]),
    )


def _lane_tick(said: Any) -> LaneTick:
    return LaneTick(
        capacity_per_s=float(said["capacity_per_s"]),
        offered=_places(said["offered"]),
        admitted=_places(said["admitted"]),
        turned_away=_places(said["turned_away"]),
        completed=_places(said["completed"]),
        abandoned=_places(said["abandoned"]),
        queue=int(said["queue"]),
    )


def _places(said: Any) -> tuple[int, ...]:
    return tuple(int(number) for number in said)


def _tick(said: Any) -> TickRow:
    return TickRow(
        seq=int(said["seq"]),
        t_s=float(said["t_s"]),
        lag_s=float(said["lag_s"]),
        cpu_s=float(said["cpu_s"]),
        lanes={str(name): _lane_tick(lane) for name, lane in said["lanes"].items()},
    )


def _lane_state(said: Any) -> LaneState:
    return LaneState(float(said["capacity_per_s"]), float(said["in_force_per_s"]))


def _state(said: Any) -> TargetState:
    return TargetState(
        now_s=float(said["now_s"]),
        epoch_s=float(said["epoch_s"]),
        tick_s=float(said["tick_s"]),
        seq=int(said["seq"]),
        capacity_per_s=float(said["capacity_per_s"]),
        lanes={str(name): _lane_state(lane) for name, lane in said["lanes"].items()},
        dips=tuple(_dip(dip) for dip in said["dips"]),
        version=str(said["version"]),
    )


# What a stranger's JSON makes the readers above raise.
_STRANGE = (KeyError, TypeError, ValueError, AttributeError)


def read_dip(text: bytes) -> DipStatus:
    """One dip. Raises `NotOursError`, as all readers here do."""
    try:
        return _dip(_decoded(text))
    except _STRANGE as error:
        raise NotOursError("it is not a dip") from error


def read_dips(text: bytes) -> list[DipStatus]:
    """A list of dips."""
    try:
        return [_dip(dip) for dip in _decoded(text)]
    except _STRANGE as error:
        raise NotOursError("it is not a list of dips") from error


def read_ticks(text: bytes) -> list[TickRow]:
    """Finished ticks, one a line."""
    try:
        return [_tick(_decoded(line)) for line in text.splitlines()]
    except _STRANGE as error:
        raise NotOursError("it is not a list of ticks") from error


def read_state(text: bytes) -> TargetState:
    """The state of the target."""
    try:
        return _state(_decoded(text))
    except _STRANGE as error:
        raise NotOursError("it is not the state of a target") from error


def read_error(text: bytes) -> str:
    """The sentence in an error."""
    try:
        return f"{_decoded(text)['error']}: {_decoded(text)['message']}"
    except _STRANGE as error:
        raise NotOursError("it is not an error of a target") from error
