"""How AWS clients read a failed answer: its error code, and whether it means throttling."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import Call
from loadtests.policies.outcome import TRANSPORT_ERRORS, AttemptError, Outcome
from loadtests.policies.units import listing

THROTTLING_CODES = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "LimitExceededException",
        "PriorRequestNotComplete",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionInProgressException",
    }
)
TRANSIENT_CODES = frozenset(
    {"PriorRequestNotComplete", "RequestTimeout", "RequestTimeoutException"}
)
LEGACY_CODES = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestThrottledException",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
    }
)
"""What the legacy mode retries of any service; each service adds codes of its own."""


def error_code(outcome: Outcome) -> str | None:
    """The error code of an answer, from ``x-amzn-errortype``; None where it names none.

    A namespace before a ``#`` and a link after a ``:`` are no part of it.
    """
    named = outcome.headers.get("x-amzn-errortype")
    if named is None or outcome.status is None or outcome.status < 301:
        return None
    return named.split(":", 1)[0].rsplit("#", 1)[-1]


@dataclass(frozen=True, slots=True)
class Throttling:
    """An answer with a throttling error code, or of one of these statuses whatever its code."""

    statuses: frozenset[int] = frozenset()

    def matches(self, outcome: Outcome) -> bool:
        """The service said that it had too many requests."""
        return outcome.status in self.statuses or error_code(outcome) in THROTTLING_CODES

    def describe(self) -> str:
        """As in ``429 or a throttling error code``."""
        code = "a throttling error code"
        return f"{listing(self.statuses)} or {code}" if self.statuses else code


BY_CODE = Throttling()
"""By the error code alone."""


@dataclass(frozen=True, slots=True)
class AwsConditions:
    """These statuses, these error codes and every transport error, by any method.

    A code counts only with a status of `code_statuses`, where those are given.
    """

    statuses: frozenset[int]
    codes: frozenset[str] = THROTTLING_CODES | TRANSIENT_CODES
    code_statuses: frozenset[int] | None = None

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By what the outcome was alone."""
        if outcome.error is not None:
            return outcome.error in TRANSPORT_ERRORS
        if outcome.status in self.statuses:
            return True
        if self.code_statuses is not None and outcome.status not in self.code_statuses:
            return False
        return error_code(outcome) in self.codes

    def describe(self) -> str:
        """In words."""
        of = "" if self.code_statuses is None else f" of {listing(self.code_statuses)}"
        return f"{listing(self.statuses)}, {len(self.codes)} error codes{of}, any transport error"
