"""Users who give up: they leave after a while, and what was going on for them is dropped."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from loadtests.policies.actions import StopReason
from loadtests.policies.call import Call
from loadtests.policies.checks import check_positive
from loadtests.policies.policy import RetryPolicy
from loadtests.policies.units import duration
from loadtests.policies.wrappers.limited import LimitedCourse

_LEAST_S = 0.001


class Patience(Protocol):
    """How long a user waits for a request. A frozen value."""

    def draw_s(self, rng: Random) -> float:
        """For one request, in seconds: finite, above 0."""
        ...

    def describe(self) -> str:
        """In words."""
        ...


@dataclass(frozen=True, slots=True)
class FixedPatience:
    """Everyone leaves after the same time."""

    after_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a time that is not above 0."""
        check_positive("patience_s", self.after_s)

    def draw_s(self, rng: Random) -> float:
        """`after_s`."""
        return self.after_s

    def describe(self) -> str:
        """As in ``after 3 s``."""
        return f"after {duration(self.after_s)}"


@dataclass(frozen=True, slots=True)
class ExponentialPatience:
    """In every moment as many of those who are left leave: exponential with this mean."""

    mean_s: float

    def __post_init__(self) -> None:
        """Raises `ValueError` for a mean that is not above 0."""
        check_positive("patience_s", self.mean_s)

    def draw_s(self, rng: Random) -> float:
        """A draw, at least 1 ms."""
        return max(_LEAST_S, rng.expovariate(1 / self.mean_s))

    def describe(self) -> str:
        """As in ``after 3 s on average, exponential``."""
        return f"after {duration(self.mean_s)} on average, exponential"


@dataclass(frozen=True, slots=True)
class GivesUp:
    """A user with this patience in front of another policy.

    A wait that would outlast the patience ends with it, and so does an attempt in flight. What the
    policy holds is given back: permits of a breaker, retries taken from a budget as it does that.
    """

    of: RetryPolicy
    patience: Patience

    def begin(self, call: Call) -> LimitedCourse:
        """A new request; the patience is drawn first of all."""
        return LimitedCourse(
            self.of.begin(call), self.patience.draw_s(call.rng), StopReason.GAVE_UP
        )

    def limit(self) -> str:
        """The user alone, in words."""
        return f"the user gives up {self.patience.describe()}"

    def describe(self) -> str:
        """The policy's, and the user."""
        return f"{self.of.describe()}; {self.limit()}"
