"""What one lane's target and clients count in whole ticks, one attempt at a time."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from loadtests.policies.actions import StopReason
from loadtests.simulation.metered import Clients, Metered
from loadtests.simulation.whole_ticks import latency_rows, metered
from reports.reading.series import Counts
from target_service.limits import MAX_ATTEMPT


class RoundCounts:
    """The counts of one lane. Attempts that are not refused are admitted, and done at once."""

    def __init__(self, ticks: int) -> None:
        """Of a run of so many ticks."""
        self._ticks = ticks
        self._offered: list[list[int]] = [[0] * ticks, [0] * ticks]
        self._refused: list[list[int]] = [[0] * ticks, [0] * ticks]
        self._attempts = [0] * ticks
        self._over: dict[StopReason, list[int]] = defaultdict(lambda: [0] * ticks)
        self._latency: Counter[tuple[int, int]] = Counter()

    def sent(self, tick: int, attempt: int, origin: int) -> None:
        """An attempt was sent, of a request that was due in tick `origin`."""
        if attempt >= len(self._offered):
            self._offered.append([0] * self._ticks)
            self._refused.append([0] * self._ticks)
        self._offered[attempt][tick] += 1
        self._attempts[origin] += 1

    def refused(self, tick: int, attempt: int) -> None:
        """One of those sent was turned away."""
        self._refused[attempt][tick] += 1

    def over(self, tick: int, origin: int, reason: StopReason) -> None:
        """A request is over."""
        self._over[reason][origin] += 1
        if reason is StopReason.SUCCEEDED:
            self._latency[origin, tick - origin] += 1

    def succeeded_at_first(self, tick: int, requests: int) -> None:
        """So many requests are over by their first attempt, in the tick in which they were due."""
        if requests:
            self._offered[1][tick] += requests
            self._attempts[tick] += requests
            self._over[StopReason.SUCCEEDED][tick] += requests
            self._latency[tick, 0] += requests

    def metered(self, capacities_per_s: Sequence[float]) -> Metered:
        """As the target counts."""
        offered, refused = _by_attempt(self._offered), _by_attempt(self._refused)
        return metered(offered, refused, capacities_per_s)

    def clients(self, issued: Sequence[int]) -> Clients:
        """As the clients count."""
        over = {reason: np.array(counts, np.int64) for reason, counts in self._over.items()}
        succeeded = over.pop(StopReason.SUCCEEDED, np.zeros(self._ticks, np.int64))
        return Clients(
            issued=np.array(issued, np.int64),
            succeeded=succeeded,
            attempts=np.array(self._attempts, np.int64),
            failed={reason.value: over[reason] for reason in sorted(over)},
            latency=latency_rows(*self._successes()),
        )

    def _successes(self) -> tuple[Counts, Counts, Counts]:
        rows = [(origin, took, count) for (origin, took), count in self._latency.items()]
        origins, took, counts = np.array(rows, np.int64).reshape(-1, 3).T
        return origins, took, counts


def _by_attempt(counts: list[list[int]]) -> Counts:
    """Higher numbers are counted in the last place, as the target does."""
    found = np.array(counts[: MAX_ATTEMPT + 1], np.int64)
    for higher in counts[MAX_ATTEMPT + 1 :]:
        found[-1] += np.array(higher, np.int64)
    return found
