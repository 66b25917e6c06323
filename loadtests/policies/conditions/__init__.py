"""What to retry: by status, error, method and idempotency key.

What is of one library, or of one kind of them, is imported from its module.
"""

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
