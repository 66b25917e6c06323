"""What azure-core retries: by status, by header, by method, and at most so many of each kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import Call
from loadtests.policies.conditions.kinds import ANSWERS, READ_ERRORS, within
from loadtests.policies.outcome import CONNECT_ERRORS, AttemptError, Outcome
from loadtests.policies.units import listing

ALWAYS_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
"""And every status from 506 on."""
_WRITING_METHODS = frozenset({"POST", "PATCH"})
_WRITING_STATUSES = frozenset({500, 503, 504})


@dataclass(frozen=True, slots=True)
class AzureConditions:
    """`statuses` besides the usual ones, by `methods`; each kind of failure at most so often.

    Any status from 400 on with a Retry-After is retried by any method, and 500, 503 and 504 by POST
    and PATCH. Errors, even those of connecting, only by `methods`.
    """

    methods: frozenset[str]
    statuses: frozenset[int] = frozenset()
    connect: int = 3
    read: int = 3
    status: int = 3

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By what failed, by whom, and how often failures of its kind have been seen."""
        if outcome.error in CONNECT_ERRORS:
            return call.method in self.methods and within(self.connect, seen, CONNECT_ERRORS)
        if outcome.error is not None:
            worthy = outcome.error in READ_ERRORS and call.method in self.methods
            return worthy and within(self.read, seen, READ_ERRORS)
        return self._status_is_retried(call, outcome) and within(self.status, seen, ANSWERS)

    def _status_is_retried(self, call: Call, outcome: Outcome) -> bool:
        status = outcome.status
        if status is None or status < 400:
            return False
        if outcome.headers.get("retry-after"):
            return True
        if call.method not in self.methods and not (
            call.method in _WRITING_METHODS and status in _WRITING_STATUSES
        ):
            return False
        return status in ALWAYS_STATUSES or 506 <= status < 999 or status in self.statuses

    def describe(self) -> str:
        """In words."""
        statuses = f"{listing(ALWAYS_STATUSES | self.statuses)}, 506 and above"
        return (
            f"{statuses} and any transport error, only {listing(self.methods)}; 500, 503 and 504 "
            "also by POST and PATCH; any error with Retry-After by any method; at most "
            f"{self.connect}× connecting, {self.read}× reading, {self.status}× a status"
        )
