"""The retry budget of tower, which Linkerd's proxy uses: transactions of the last seconds."""

from dataclasses import dataclass, field

from loadtests.policies.budgets.reserve import DEAREST, SCALE, Reserve
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_SLOTS = 10
_FURTHEST_S = 1e15
"""A clock that goes further stands still: its nanoseconds would not be a number any more."""


@dataclass(slots=True)
class TowerBudget(Reserve):
    """A result that is not retried deposits 1, a retry withdraws ``1 / ratio``; both expire.

    On top there is a reserve of ``min_per_second · ttl`` retries, there at once. A request that
    fails and may not be retried deposits nothing: in an outage the budget gets no income.

    The window of `tower/src/retry/budget/tps_budget.rs`: one slot is written to and ten are kept.
    But a slot that ends even a little late, as all do under traffic, makes it skip another, so that
    it remembers six tenths of `ttl_s`: the reserve of 10 s is there again after 6.

    Above a ratio of 1 deposits are 1000 and withdrawals ``1000 / ratio``.
    """

    _slot_ns: int = field(init=False)
    _slots: list[int] = field(init=False)
    _index: int = field(init=False, default=0)
    _began_ns: int | None = field(init=False, default=None)

    def _prices(self) -> tuple[int, int]:
        if self.ratio <= 1:
            return 1, int(min(DEAREST, 1 / self.ratio))
        return SCALE, int(SCALE / self.ratio)

    def _begin(self) -> None:
        self._slot_ns = int(self.ttl_s * 1e9) // _SLOTS
        self._slots = [0] * _SLOTS

    def requested(self, now_s: float) -> None:
        """A new request does not matter yet."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A result that is not worth a retry makes a deposit, failures among them too."""
        if not retryable:
            self.succeeded_many(now_s, 1)

    def requested_many(self, now_s: float, requests: int) -> None:
        """They do not matter yet."""

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """Each makes a deposit."""
        if successes:
            self._move_to(now_s)
            self._written += self._deposit * successes

    def _balance(self, now_s: float) -> int:
        self._move_to(now_s)
        return self._written + sum(self._slots)

    def _move_to(self, now_s: float) -> None:
        """Close the slot that is written to once its time is over, and forget the oldest."""
        now_ns = round(max(-_FURTHEST_S, min(now_s, _FURTHEST_S)) * 1e9)
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
        return self._describe(f"the results of {duration(self.ttl_s)} that were not retried")
