"""What Finagle's and tower's budgets share: a price of retries, and a reserve on top of a window.

Their windows differ, and so do their prices where the numbers are rounded.
"""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.outcome import Outcome

SCALE = 1000
DEAREST = 1e15
"""What a retry costs at most, however small the ratio: no window has as much."""


@dataclass(slots=True)
class Reserve:
    """Retries are a share of what `ttl_s` saw, and ``min_per_second · ttl`` on top, at once.

    The base of both: each has its prices and its window, whose newest part is `_written`.
    """

    ttl_s: float = 10.0
    min_per_second: int = 10
    ratio: float = 0.2
    _deposit: int = field(init=False)
    _cost: int = field(init=False)
    _reserve: int = field(init=False)
    _written: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 1 s ≤ ttl ≤ 60 s, 0 ≤ ratio ≤ 1000 and 0 ≤ min_per_second."""
        check_within("ttl_s", self.ttl_s, 1, 60)
        check_within("retry_ratio", self.ratio, 0, SCALE)
        check_not_negative("min_retries_per_second", self.min_per_second)
        self._deposit, self._cost = self._prices() if self.ratio else (0, 1)
        self._reserve = self._at_once() * self._cost
        self._begin()

    def _prices(self) -> tuple[int, int]:
        """A deposit and a withdrawal, for a ratio above 0."""
        raise NotImplementedError

    def _begin(self) -> None:
        """An empty window."""
        raise NotImplementedError

    def _balance(self, now_s: float) -> int:
        """Of the window as of now, without the reserve."""
        raise NotImplementedError

    def _at_once(self) -> int:
        return self.min_per_second * int(self.ttl_s)

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take the price of a retry, if the balance of the window covers it."""
        return 1.0 if self.withdraw_many(now_s, 1) else None

    @property
    def counts_failures(self) -> bool:
        """Only what asks for a retry matters."""
        return False

    def withdraw_many(self, now_s: float, failures: int) -> int:
        """Take the price of as many retries as the balance covers."""
        if not failures:
            return 0  # to look at the balance moves the window
        there_is = self._balance(now_s) + self._reserve
        retries = max(0, min(failures, there_is // self._cost))
        self._written -= retries * self._cost
        return retries

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def _describe(self, traffic: str) -> str:
        """As in ``20% of the requests of 10 s + 10/s (100 at once)``."""
        return (
            f"{self.ratio * 100:g}% of {traffic} + {self.min_per_second:g}/s "
            f"({self._at_once():g} at once)"
        )
