"""What stands before every attempt, first ones too: breakers, and throttles of the client's own."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from loadtests.policies.actions import StopReason, check_wait
from loadtests.policies.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Admitted:
    """Let it out. `permit` comes back with what becomes of it."""

    permit: int = 0


@dataclass(frozen=True, slots=True)
class Delayed:
    """Ask again in `seconds`: it blocks, it does not fail."""

    seconds: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a delay that cannot be waited."""
        check_wait(self.seconds)


@dataclass(frozen=True, slots=True)
class Refused:
    """It fails here, without having been sent."""

    reason: StopReason


Admission = Admitted | Delayed | Refused

ADMITTED = Admitted()
THROTTLED = Refused(StopReason.THROTTLED)


class Guard(Protocol):
    """Lets attempts out or not, by what became of earlier ones in the scope.

    Each `Admitted` is followed by exactly one `observed` or one `released` with its permit.
    """

    def admit(self, now_s: float, rng: Random) -> Admission:
        """An attempt wants out."""
        ...

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """An admitted attempt ended."""
        ...

    def released(self, now_s: float, permit: int) -> None:
        """An admitted attempt was abandoned before it ended: it says nothing of the service."""
        ...

    def describe(self) -> str:
        """In words."""
        ...
