"""What one lane's target and clients count, by whole groups."""

from collections.abc import Sequence

import numpy as np

from loadtests.policies.actions import StopReason
from loadtests.simulation.metered import Clients, Metered
from loadtests.simulation.whole_ticks import latency_rows, metered
from reports.reading.series import Counts
from target_service.limits import MAX_ATTEMPT


class Tally:
    """The counts of one lane. Groups are told by the tick in which their requests were due.

    Where `counts` is None each place is one request.
    """

    def __init__(self, attempts: int, issued: Sequence[int]) -> None:
        """Of requests with so many attempts at most, `issued` in each tick."""
        ticks = len(issued)
        self._issued = np.array(issued, np.int64)
        self._offered = np.zeros((attempts + 1, ticks), np.int64)
        self._refused = np.zeros((attempts + 1, ticks), np.int64)
        self._attempts = np.zeros(ticks, np.int64)
        self._succeeded = np.zeros(ticks, np.int64)
        self._failed: dict[StopReason, Counts] = {}
        self._at_first: list[tuple[int, int]] = []
        self._later: list[tuple[Counts, Counts, Counts]] = []
        """How many ticks they took, when they were due, how many they are."""

    def sent(self, tick: int, attempts: Counts, origins: Counts, counts: Counts | None) -> None:
        """These attempts arrived."""
        _add(self._offered[:, tick], attempts, counts)
        _add(self._attempts, origins, counts)

    def refused(self, tick: int, attempts: Counts, counts: Counts | None) -> None:
        """These of them were turned away."""
        _add(self._refused[:, tick], attempts, counts)

    def succeeded(self, tick: int, origins: Counts, counts: Counts | None) -> None:
        """These requests succeeded."""
        by_origin = np.zeros_like(self._succeeded)
        _add(by_origin, origins, counts)
        places = np.flatnonzero(by_origin)
        self._later.append((tick - places, places, by_origin[places]))

    def succeeded_at_once(self, tick: int, requests: int) -> None:
        """All that were sent in this tick: first attempts that fitted."""
        if requests:
            self._at_first.append((tick, requests))

    def failed(self, reason: StopReason, origins: Counts, counts: Counts | None) -> None:
        """These requests failed; there need not be any."""
        if not (origins.size if counts is None else counts.any()):
            return
        if reason not in self._failed:
            self._failed[reason] = np.zeros_like(self._attempts)
        _add(self._failed[reason], origins, counts)

    def metered(self, capacities_per_s: Sequence[float]) -> Metered:
        """As the target counts."""
        self._settle()
        rows = MAX_ATTEMPT + 1
        return metered(self._offered[:rows], self._refused[:rows], capacities_per_s)

    def _settle(self) -> None:
        """Count what was only remembered."""
        ticks, requests = np.array(self._at_first, np.int64).reshape(-1, 2).T
        self._offered[1, ticks] += requests
        self._attempts[ticks] += requests
        self._later.append((np.zeros_like(ticks), ticks, requests))
        self._at_first = []

    def clients(self) -> Clients:
        """As the clients count."""
        self._settle()
        origins = np.concatenate([places for _, places, _ in self._later])
        counts = np.concatenate([counts for _, _, counts in self._later])
        took = np.concatenate([took for took, _, _ in self._later])
        np.add.at(self._succeeded, origins, counts)
        return Clients(
            issued=self._issued,
            succeeded=self._succeeded,
            attempts=self._attempts,
            failed={reason.value: self._failed[reason] for reason in sorted(self._failed)},
            latency=latency_rows(origins, took, counts),
        )


def _add(sums: Counts, places: Counts, counts: Counts | None) -> None:
    if counts is None:
        sums += np.bincount(places, minlength=sums.size)
    else:
        np.add.at(sums, places, counts)
