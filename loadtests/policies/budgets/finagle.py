"""Finagle's retry budget: a leaky bucket in ten slices, with a reserve."""

from dataclasses import dataclass, field

from loadtests.policies.budgets.reserve import DEAREST, SCALE, Reserve
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration

_SLICES = 10


@dataclass(slots=True)
class FinagleBudget(Reserve):
    """A request deposits 1000, a retry withdraws ``1000 / ratio``; each expires after `ttl_s`.

    On top there is a reserve of ``min_per_second · ttl`` retries, which is there at once: 100 by
    default, before any request was made. Withdrawals expire as deposits do.

    The window of `RetryBudget.scala` and `WindowedAdder.scala`: one slice is written to, nine are
    kept, and slices begin when they are first looked at, so `ttl_s` is approximate.
    """

    _slice_ms: int = field(init=False)
    _kept: list[int] = field(init=False)
    _index: int = field(init=False, default=0)
    _began_ms: int | None = field(init=False, default=None)

    def _prices(self) -> tuple[int, int]:
        return SCALE, max(1, int(min(DEAREST, SCALE / self.ratio)))

    def _begin(self) -> None:
        self._slice_ms = int(self.ttl_s * 1000) // _SLICES
        self._kept = [0] * (_SLICES - 1)

    def requested(self, now_s: float) -> None:
        """A new request makes a deposit."""
        self.requested_many(now_s, 1)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """What became of an attempt does not matter here."""

    def requested_many(self, now_s: float, requests: int) -> None:
        """Each makes a deposit."""
        if requests:
            self._move_to(now_s)
            self._written += self._deposit * requests

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """They do not matter here."""

    def _balance(self, now_s: float) -> int:
        self._move_to(now_s)
        return self._written + sum(self._kept)

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
        return self._describe(f"the requests of {duration(self.ttl_s)}")
