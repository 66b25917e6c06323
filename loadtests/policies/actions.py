"""What a policy can answer: a closed union that a driver performs."""

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    """Why a request made no further attempt."""

    SUCCEEDED = "succeeded"
    NOT_RETRYABLE = "not-retryable"
    NOT_RETRIED = "not-retried"
    OUT_OF_ATTEMPTS = "out-of-attempts"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Send:
    """Make an attempt now."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Back off for `seconds` (0 or more), then ask again."""

    seconds: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a wait that is negative, infinite or not a number."""
        if not 0 <= self.seconds < float("inf"):
            raise ValueError(f"a wait of {self.seconds} s: expected a finite number, 0 or more")


@dataclass(frozen=True, slots=True)
class Stop:
    """The request is over."""

    reason: StopReason


Action = Send | Wait | Stop
