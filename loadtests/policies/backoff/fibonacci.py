"""Waits that grow like Fibonacci's numbers: F(1) = F(2) = 1, F(n) = F(n − 1) + F(n − 2)."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.backoff.growth import LARGEST_WAIT_S
from loadtests.policies.backoff.rule import BackoffState
from loadtests.policies.checks import check_not_negative
from loadtests.policies.units import duration


def _numbers() -> tuple[float, ...]:
    """All up to `LARGEST_WAIT_S`, which a float still holds exactly."""
    numbers = [1.0, 1.0]
    while (following := numbers[-1] + numbers[-2]) <= LARGEST_WAIT_S:
        numbers.append(following)
    return tuple(numbers)


_FIBONACCI = _numbers()


@dataclass(frozen=True, slots=True)
class Fibonacci:
    """``unit · F(n)``: 1, 1, 2, 3, 5 … times `unit_s`. Without a cap: wrap it in one."""

    unit_s: float = 1.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a unit below 0."""
        check_not_negative("unit_s", self.unit_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait, at most what every wait is held to."""
        number = _FIBONACCI[min(max(state.retry, 1), len(_FIBONACCI)) - 1]
        return min(LARGEST_WAIT_S, self.unit_s * number)

    def describe(self) -> str:
        """As in ``1 s·F(n)``."""
        return f"{duration(self.unit_s)}·F(n)"


@dataclass(slots=True)
class SharedFibonacci:
    """``unit · F(m + 2)``, m counting the retries of *all* requests: 2, 3, 5 … and never back.

    aiohttp-retry keeps these steps in its options, which all requests of a client share.
    """

    unit_s: float = 1.0
    _steps: tuple[float, float] = field(default=(1.0, 1.0), init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a unit below 0."""
        check_not_negative("unit_s", self.unit_s)

    def wait_s(self, state: BackoffState, rng: Random) -> float:
        """The wait, from the number of retries that came before it, whosoever they were."""
        before, current = self._steps
        step = min(LARGEST_WAIT_S, before + current)
        self._steps = (current, step)
        return min(LARGEST_WAIT_S, self.unit_s * step)

    def describe(self) -> str:
        """As in ``1 s·F(m+2), m counting the retries of all requests``."""
        return f"{duration(self.unit_s)}·F(m+2), m counting the retries of all requests"
