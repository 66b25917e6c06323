"""What a policy knows of a request before its first attempt."""

from dataclasses import dataclass
from random import Random

IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
"""RFC 9110, section 9.2.2."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its method, whether it carries an idempotency key, and where jitter is drawn.

    The method is in upper case however it was given, as HTTP clients send it. `path` is where it
    goes, for policies that differ by method of a service.
    """

    rng: Random
    method: str = "GET"
    has_idempotency_key: bool = False
    path: str = "/"

    def __post_init__(self) -> None:
        """Put the method in upper case."""
        if not self.method.isupper():
            object.__setattr__(self, "method", self.method.upper())
