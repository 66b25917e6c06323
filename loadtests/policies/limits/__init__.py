"""How long a request may go on. How many attempts it may make is a number of `Retry`'s own.

What is of one library is imported from its module.
"""

from loadtests.policies.limits.deadlines import (
    BeginsNoneAfter,
    Deadline,
    Spans,
    StopsAfter,
    StopsBeforeWait,
)

__all__ = ["BeginsNoneAfter", "Deadline", "Spans", "StopsAfter", "StopsBeforeWait"]
