"""The retry budget of tower, which Linkerd's proxy uses: transactions of the last seconds."""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_SLOTS = 10
_SCALE = 1000
_DEAREST = 1e15
"""What a retry costs at most, however small the ratio: no window has as much."""


@dataclass(slots=True)
class TowerBudget:
    """A result that is not retried deposits 1, a retry withdraws ``1 / ratio``; both expire.

    On top there is a reserve of ``min_per_second · ttl`` retries, there at once. A request that
    fails and may not be retried deposits nothing: in an outage the budget gets no income.

    The window of `tower/src/retry/budget/tps_budget.rs`: one slot is written to and ten are kept.
    But a slot that ends even a little late, as all do under traffic, makes it skip another, so that
    it remembers six tenths of `ttl_s`: the reserve of 10 s is there again after 6.

    Above a ratio of 1 deposits are 1000 and withdrawals ``1000 / ratio``.
    """

    ttl_s: float = 10.0
    min_per_second: int = 10
    ratio: float = 0.2
    _deposit: int = field(init=False)
    _cost: int = field(init=False)
    _reserve: int = field(init=False)
    _slot_ns: int = field(init=False)
    _slots: list[int] = field(init=False)
    _index: int = field(init=False, default=0)
    _written: int = field(init=False, default=0)
    _began_ns: int | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless 1 s ≤ ttl ≤ 60 s, 0 ≤ ratio ≤ 1000 and 0 ≤ min_per_second."""
        check_within("ttl_s", self.ttl_s, 1, 60)
        check_within("retry_ratio", self.ratio, 0, _SCALE)
        check_not_negative("min_retries_per_second", self.min_per_second)
        if self.ratio == 0:
            self._deposit, self._cost = 0, 1
        elif self.ratio <= 1:
            self._deposit, self._cost = 1, int(min(_DEAREST, 1 / self.ratio))
        else:
            self._deposit, self._cost = _SCALE, int(_SCALE / self.ratio)
        self._reserve = self.min_per_second * int(self.ttl_s) * self._cost
        self._slot_ns = int(self.ttl_s * 1e9) // _SLOTS
        self._slots = [0] * _SLOTS

    def requested(self, now_s: float) -> None:
        """A new request does not matter yet."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A result that is not worth a retry makes a deposit, failures among them too."""
        if not retryable:
            self._move_to(now_s)
            self._written += self._deposit

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take the price of a retry, if the balance of the window covers it."""
        self._move_to(now_s)
        if self._written + sum(self._slots) + self._reserve < self._cost:
            return None
        self._written -= self._cost
        return 1.0

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def _move_to(self, now_s: float) -> None:
        """Close the slot that is written to once its time is over, and forget the oldest."""
        now_ns = round(now_s * 1e9)
        if self._began_ns is None:
            self._began_ns = now_ns
        passed_ns = now_ns - self._began_ns
        if passed_ns < self._slot_ns:
            return
        self._slots[self._index] = self._written
        self._written = 0
        skipped = (passed_ns - 1) // self._slot_ns
        index = (self._index + 1) % _SLOTS
        for ahead in range(min(skipped, _SLOTS)):
            self._slots[(index + ahead) % _SLOTS] = 0
        self._index = (index + skipped) % _SLOTS
        self._began_ns = now_ns

    def describe(self) -> str:
        """As in ``20% of the results of 10 s that were not retried + 10/s (100 at once)``."""
        return (
            f"{self.ratio * 100:g}% of the results of {duration(self.ttl_s)} that were not retried "
            f"+ {self.min_per_second:g}/s ({self.min_per_second * int(self.ttl_s):g} at once)"
        )
