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
    DEADLINE = "deadline"
    FORBIDDEN = "forbidden-by-server"
    BREAKER = "breaker-open"
    THROTTLED = "throttled-by-client"
    GAVE_UP = "user-gave-up"
    LIBRARY = "given-up-by-library"


def check_wait(seconds: float) -> None:
    """Raises `ValueError` for a wait that is negative, infinite or not a number."""
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"a wait of {seconds} s: expected a finite number, 0 or more")


@dataclass(frozen=True, slots=True)
class Send:
    """Make an attempt now.

    `timeout_s` bounds it, where the policy does. `hedge_after_s`: if it has not ended by then, ask
    again with it still in flight.
    """

    timeout_s: float | None = None
    hedge_after_s: float | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for times that make no sense."""
        for seconds in (self.timeout_s, self.hedge_after_s):
            if seconds is not None:
                check_wait(seconds)


@dataclass(frozen=True, slots=True)
class Wait:
    """Back off for `seconds` (0 or more) with nothing in flight, then ask again."""

    seconds: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a wait that cannot be made."""
        check_wait(self.seconds)


@dataclass(frozen=True, slots=True)
class Await:
    """Attempts are in flight: wait for the next to end; ask again after `seconds` if given."""

    seconds: float | None = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for a wait that cannot be made."""
        if self.seconds is not None:
            check_wait(self.seconds)


@dataclass(frozen=True, slots=True)
class Stop:
    """The request is over. What is still in flight is to be cancelled."""

    reason: StopReason


Action = Send | Wait | Await | Stop

SEND = Send()
"""The usual one, made once."""
