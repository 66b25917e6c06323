"""Finagle's retry budget: a leaky bucket in ten slices, with a reserve."""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_SCALE = 1000
_SLICES = 10
_DEAREST = 1e15
"""What a retry costs at most, however small the ratio: no window has as much."""


@dataclass(slots=True)
class FinagleBudget:
    """A request deposits 1000, a retry withdraws ``1000 / ratio``; each expires after `ttl_s`.

    On top there is a reserve of ``min_per_second · ttl`` retries, which is there at once: 100 by
    default, before any request was made. Withdrawals expire as deposits do.

    The window of `RetryBudget.scala` and `WindowedAdder.scala`: one slice is written to, nine are
    kept, and slices begin when they are first looked at, so `ttl_s` is approximate.
    """

    ttl_s: float = 10.0
    min_per_second: int = 10
    ratio: float = 0.2
    _deposit: int = field(init=False)
    _cost: int = field(init=False)
    _reserve: int = field(init=False)
    _slice_ms: int = field(init=False)
    _kept: list[int] = field(init=False)
    _index: int = field(init=False, default=0)
    _written: int = field(init=False, default=0)
    _began_ms: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 1 s ≤ ttl ≤ 60 s, 0 ≤ ratio ≤ 1000 and 0 ≤ min_per_second."""
        check_within("ttl_s", self.ttl_s, 1, 60)
        check_within("retry_ratio", self.ratio, 0, _SCALE)
        check_not_negative("min_retries_per_second", self.min_per_second)
        self._deposit = _SCALE if self.ratio else 0
        self._cost = max(1, int(min(_DEAREST, _SCALE / self.ratio))) if self.ratio else 1
        self._reserve = self.min_per_second * int(self.ttl_s) * self._cost
        self._slice_ms = int(self.ttl_s * 1000) // _SLICES
        self._kept = [0] * (_SLICES - 1)

    def requested(self, now_s: float) -> None:
        """A new request makes a deposit."""
        self._move_to(now_s)
        self._written += self._deposit

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """What became of an attempt does not matter here."""

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take the price of a retry, if the balance of the window covers it."""
        self._move_to(now_s)
        if self._written + sum(self._kept) + self._reserve < self._cost:
            return None
        self._written -= self._cost
        return 1.0

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def _move_to(self, now_s: float) -> None:
        """Close the slice that is written to once its time is over, and forget the oldest."""
        now_ms = int(now_s * 1000 + 1e-6)  # a float may lie a hair below its millisecond
        if self._began_ms is None:
            self._began_ms = now_ms
        passed_ms = now_ms - self._began_ms
        if passed_ms < self._slice_ms:
            return
        kept = len(self._kept)
        self._kept[self._index] = self._written
        self._written = 0
        self._index = (self._index + 1) % kept
        for _ in range(min(passed_ms // self._slice_ms - 1, kept)):
            self._kept[self._index] = 0
            self._index = (self._index + 1) % kept
        self._began_ms = now_ms

    def describe(self) -> str:
        """As in ``20% of the requests of 10 s + 10/s (100 at once)``."""
        return (
            f"{self.ratio * 100:g}% of the requests of {duration(self.ttl_s)} "
            f"+ {self.min_per_second:g}/s ({self.min_per_second * int(self.ttl_s):g} at once)"
        )
