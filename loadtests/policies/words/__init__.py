"""What clients read from a failed answer about when to come back, or whether to.

What is of one library is imported from its module.
"""

from loadtests.policies.words.ownership import OWNED_HEADER, OwnedErrors
from loadtests.policies.words.rule import (
    AddedRetryAfter,
    BackoffWait,
    ServerWord,
    Unheeded,
    retry_after_s,
)

__all__ = [
    "OWNED_HEADER",
    "AddedRetryAfter",
    "BackoffWait",
    "OwnedErrors",
    "ServerWord",
    "Unheeded",
    "retry_after_s",
]
