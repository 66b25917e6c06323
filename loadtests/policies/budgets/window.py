"""Budgets that bound retries by a share of what there was lately."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.outcome import Outcome
from loadtests.policies.rolling import RollingCounts
from loadtests.policies.units import duration

_OF, _RETRIES = 0, 1
_BUCKETS = 20


class ShareOf(StrEnum):
    """What retries are held against."""

    REQUESTS = "requests"
    SUCCESSES = "successes"


@dataclass(slots=True)
class WindowBudget:
    """A retry is made while ``retries < share · what there was`` in the last `window_s`.

    Of requests, it is the SRE book's budget of a client; of successes, article 002's, which allows
    none in a total outage. It may overshoot by less than one retry.
    """

    share: float = 0.1
    of: ShareOf = ShareOf.REQUESTS
    window_s: float = 120.0
    _counts: RollingCounts = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a share outside 0 to 1 or a window that is none."""
        check_within("budget_share", self.share, 0, 1)
        check_positive("budget_window_s", self.window_s)
        self._counts = RollingCounts(self.window_s, self.window_s / _BUCKETS)

    def requested(self, now_s: float) -> None:
        """A new request, perhaps to hold retries against."""
        self.requested_many(now_s, 1)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A success, perhaps to hold retries against."""
        if outcome.succeeded:
            self.succeeded_many(now_s, 1)

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Count a retry, if there are few enough."""
        return 1.0 if self.withdraw_many(now_s, 1) else None

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    @property
    def counts_failures(self) -> bool:
        """Only what asks for a retry matters."""
        return False

    def requested_many(self, now_s: float, requests: int) -> None:
        """New requests, perhaps to hold retries against."""
        if self.of is ShareOf.REQUESTS and requests:
            self._counts.add(now_s, _OF, requests)

    def withdraw_many(self, now_s: float, failures: int) -> int:
        """Count as many retries as there may be."""
        there_were, retries = self._counts.at(now_s)
        # 100 · 0.07 is a hair above 7 in floating point; that hair must not allow a retry.
        allowed = math.ceil(there_were * self.share - 1e-9) - retries
        granted = min(failures, max(0, allowed))
        if granted:
            self._counts.add(now_s, _RETRIES, granted)
        return granted

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """Successes, perhaps to hold retries against."""
        if self.of is ShareOf.SUCCESSES and successes:
            self._counts.add(now_s, _OF, successes)

    def describe(self) -> str:
        """As in ``fewer retries than 10% of the requests of the last 2 min``."""
        return (
            f"fewer retries than {self.share * 100:g}% of the {self.of} of the last "
            f"{duration(self.window_s)}"
        )
