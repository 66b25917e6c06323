"""What the clients of a lane see, counted by the tick in which a request was due."""

import math

import numpy as np

from loadtests.policies import StopReason
from loadtests.simulation.metered import Clients
from reports.reading.series import Counts
from reports.record import LOG_GROWTH

_KEPT = 1 << 16
"""Successes that are kept before they are counted: many at once are cheaper."""
_BUCKETS = 1200
"""The last one is of two hundred days."""
_EDGES_MS = np.array([math.exp((bucket + 1e-9) * LOG_GROWTH) for bucket in range(_BUCKETS - 1)])
"""The longest time in each bucket, by `bucket_of`."""


class Seen:
    """The counts of one lane, of a run of so many ticks."""

    def __init__(self, ticks: int) -> None:
        self.issued = [0] * ticks
        self.attempts = [0] * ticks
        self._failed: dict[str, list[int]] = {}
        self._codes: Counts = np.zeros(0, np.int64)
        self._counts: Counts = np.zeros(0, np.int64)
        self._due: list[int] = []
        self._took_s: list[float] = []

    def succeeded(self, tick: int, took_s: float) -> None:
        """A request that was due in this tick has succeeded."""
        self._due.append(tick)
        self._took_s.append(took_s)

    def failed(self, tick: int, reason: StopReason) -> None:
        """A request that was due in this tick has failed."""
        if reason.value not in self._failed:
            self._failed[reason.value] = [0] * len(self.issued)
        self._failed[reason.value][tick] += 1

    def close_tick(self) -> None:
        """A tick is over."""
        if len(self._due) >= _KEPT:
            self._count()

    def all(self) -> Clients:
        """All that was counted."""
        self._count()
        ticks, buckets = np.divmod(self._codes, _BUCKETS)
        succeeded = np.zeros(len(self.issued), np.int64)
        np.add.at(succeeded, ticks, self._counts)
        return Clients(
            issued=np.array(self.issued, np.int64),
            succeeded=succeeded,
            attempts=np.array(self.attempts, np.int64),
            failed={why: np.array(by, np.int64) for why, by in sorted(self._failed.items())},
            latency=np.stack([ticks, buckets, self._counts], axis=1),
        )

    def _count(self) -> None:
        """Tick and bucket are one number here, so that numpy can count them."""
        buckets = np.searchsorted(_EDGES_MS, np.array(self._took_s) * 1000)
        codes = np.array(self._due, np.int64) * _BUCKETS + buckets
        ones = np.ones(codes.size, np.int64)
        self._codes, places = np.unique(np.concatenate([self._codes, codes]), return_inverse=True)
        counts = np.zeros(self._codes.size, np.int64)
        np.add.at(counts, places, np.concatenate([self._counts, ones]))
        self._counts = counts
        self._due.clear()
        self._took_s.clear()
