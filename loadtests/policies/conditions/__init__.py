"""What to retry: by status, error, method and idempotency key, or as a library does it."""

from loadtests.policies.conditions.general import (
    OVERLOAD,
    OVERLOAD_STATUSES,
    SERVER_ERRORS,
    AtMost,
    Conditions,
    RetryOn,
    Tally,
)

__all__ = [
    "OVERLOAD",
    "OVERLOAD_STATUSES",
    "SERVER_ERRORS",
    "AtMost",
    "Conditions",
    "RetryOn",
    "Tally",
]
