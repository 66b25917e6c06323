"""How long a request may go on: deadlines over all of its attempts and waits.

How many attempts it may make is a number of `Retry`'s own. Deadlines differ in what they cut.
"""

from dataclasses import dataclass
from typing import Protocol

from loadtests.policies.units import duration


class Deadline(Protocol):
    """A limit on the time since the request began. A frozen value."""

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """How long to wait where `wait_s` is wanted after `elapsed_s`; None: stop instead."""
        ...

    def attempt_s(self, elapsed_s: float) -> float | None:
        """The time an attempt beginning now may take; None where this does not bound it."""
        ...

    def describe(self) -> str:
        """In words."""
        ...


@dataclass(frozen=True, slots=True)
class StopsBeforeWait:
    """Give up rather than begin a wait that would end after the deadline (article 003)."""

    total_s: float

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """The wait, if it ends in time."""
        return None if elapsed_s + wait_s > self.total_s else wait_s

    def attempt_s(self, elapsed_s: float) -> float | None:
        """Attempts are not bounded."""
        return None

    def describe(self) -> str:
        """In words."""
        return f"no wait that would end after {duration(self.total_s)}"


@dataclass(frozen=True, slots=True)
class StopsAfter:
    """Make no further attempt once this time has passed; a wait may still run beyond it."""

    total_s: float

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """The whole wait, if the time has not passed yet."""
        return None if elapsed_s >= self.total_s else wait_s

    def attempt_s(self, elapsed_s: float) -> float | None:
        """Attempts are not bounded."""
        return None

    def describe(self) -> str:
        """In words."""
        return f"no retry once {duration(self.total_s)} have passed"


@dataclass(frozen=True, slots=True)
class BeginsNoneAfter:
    """Begin no attempt once this time has passed; waits run in full, also those in vain."""

    total_s: float

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """The whole wait, whatever comes of it."""
        return wait_s

    def attempt_s(self, elapsed_s: float) -> float | None:
        """No time at all once it has passed; attempts are not bounded before."""
        return 0.0 if elapsed_s >= self.total_s else None

    def describe(self) -> str:
        """In words."""
        return f"no attempt begun after {duration(self.total_s)}; waits run in full"


@dataclass(frozen=True, slots=True)
class Spans:
    """One deadline over everything: it ends waits, and it ends the attempt in flight."""

    total_s: float

    def wait_s(self, elapsed_s: float, wait_s: float) -> float | None:
        """What is left of the time, at most; the request is stopped when it is resumed then."""
        left_s = self.total_s - elapsed_s
        return None if left_s <= 0 else min(wait_s, left_s)

    def attempt_s(self, elapsed_s: float) -> float | None:
        """What is left of the time."""
        return max(0.0, self.total_s - elapsed_s)

    def describe(self) -> str:
        """In words."""
        return f"{duration(self.total_s)} for all attempts and waits"
