"""What a target has planned, as it says it stands. Times are seconds of the target's clock."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field

from aftershock_units import format_brief, format_share, parse_duration_s, parse_share
from faults.action import ActionType
from faults.action import describe as actions_text
from faults.fault import FaultType
from faults.fault import describe as faults_text

_OVER = frozenset({"ended", "cancelled"})


def _duration_or_none(value: object) -> object:
    return parse_duration_s(value) if isinstance(value, str) else value


def _share_or_none(value: object) -> object:
    return parse_share(value) if isinstance(value, str) else value


_Duration = Annotated[float, BeforeValidator(_duration_or_none)]
_Share = Annotated[float, BeforeValidator(_share_or_none)]
_For = Annotated[float, BeforeValidator(parse_duration_s), Field(validation_alias="for")]
_Add = Annotated[_Duration | None, Field(validation_alias="add")]
_Spread = Annotated[_Duration | None, Field(validation_alias="spread")]
_RetryAfter = Annotated[_Duration | None, Field(validation_alias="retry_after")]
_Every = Annotated[_Duration | None, Field(validation_alias="every")]
_SlowStart = Annotated[_Duration, Field(validation_alias="slow_start")]


@dataclass(frozen=True, slots=True)
class DipStatus:
    """A dip at the target. `capacity` says what is left, as it was given."""

    id: str
    start_s: float
    end_s: float
    capacity: str
    for_s: _For
    lanes: tuple[str, ...] | None
    shape: str
    state: str
    slow_start_s: _SlowStart = 0.0

    @property
    def over(self) -> bool:
        """Whether it has ended, or was cancelled before it began."""
        return self.state in _OVER

    @property
    def what(self) -> str:
        """What is left, in short."""
        slow = f", slow start {format_brief(self.slow_start_s)}" if self.slow_start_s else ""
        return self.capacity + slow


@dataclass(frozen=True, slots=True)
class FaultStatus:
    """A fault at the target."""

    id: str
    start_s: float
    end_s: float
    type: FaultType
    for_s: _For
    lanes: tuple[str, ...] | None
    state: str
    share: _Share
    add_s: _Add = None
    spread_s: _Spread = None
    status: int | None = None
    retry_after_s: _RetryAfter = None

    @property
    def over(self) -> bool:
        """Whether it has ended, or was cancelled before it began."""
        return self.state in _OVER

    @property
    def text(self) -> str:
        """Which attempts get what, without the type: as that of `ServiceFault`."""
        return faults_text(self)

    @property
    def what(self) -> str:
        """What it does, in short."""
        return f"{self.type} {self.text}"


@dataclass(frozen=True, slots=True)
class ActionStatus:
    """An operator's action at the target.

    `share` is what it turns away when in force: now, or at its end if it is over. Of a reopening
    `shares` has it for each lane, and `share` the highest.
    """

    id: str
    start_s: float
    end_s: float
    action: ActionType
    for_s: _For
    lanes: tuple[str, ...] | None
    state: str
    share: _Share | None = None
    shares: dict[str, _Share] | None = None
    step: _Share | None = None
    every_s: _Every = None
    max_errors: _Share | None = None

    @property
    def over(self) -> bool:
        """Whether it has ended, or was cancelled before it began."""
        return self.state in _OVER

    @property
    def all_open(self) -> bool:
        """Whether it was a reopening that has come to its end: nothing is turned away any more."""
        return self.over and self.action == "reopen" and self.share == 0

    @property
    def text(self) -> str:
        """What is turned away, without the action's name: as that of `OperatorAction`."""
        return actions_text(self)

    @property
    def what(self) -> str:
        """What it does, in short."""
        return f"{self.action} {self.text}"

    @property
    def share_text(self) -> str:
        """``"80%"``; empty where there is no share."""
        return "" if self.share is None else format_share(self.share)
