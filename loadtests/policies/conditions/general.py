"""What to retry: statuses, transport errors, methods and idempotency keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loadtests.policies.call import IDEMPOTENT_METHODS, Call
from loadtests.policies.outcome import CONNECT_ERRORS, TRANSPORT_ERRORS, AttemptError, Outcome
from loadtests.policies.units import listing

OVERLOAD_STATUSES = frozenset({429, 502, 503, 504})
"""The statuses that a second try can turn into a success (article 003)."""
SERVER_ERRORS = frozenset(range(500, 600))


Tally = dict[int | AttemptError, int]
"""How often a request has met each status and each error."""


class RetryOn(Protocol):
    """Which outcomes a second attempt may mend. A frozen value, that others can wrap."""

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """Whether this failure is worth another attempt.

        `seen` counts the failures of the request so far by status and error, this one included.
        """
        ...

    def describe(self) -> str:
        """In words, as in ``429, 503 and any transport error, idempotent methods only``."""
        ...


@dataclass(frozen=True, slots=True)
class Conditions:
    """These statuses and errors, by these methods (any, where None).

    An idempotency key makes any method safe to repeat where `key_makes_safe`. What never reached
    the service is safe by any method where `unreached_is_safe`.
    """

    statuses: frozenset[int] = OVERLOAD_STATUSES
    errors: frozenset[AttemptError] = TRANSPORT_ERRORS
    methods: frozenset[str] | None = None
    key_makes_safe: bool = True
    unreached_is_safe: bool = True

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By what the outcome was, and whether the call may be repeated."""
        if outcome.error is None:
            return outcome.status in self.statuses and self._is_safe(call)
        if outcome.error not in self.errors:
            return False
        return (self.unreached_is_safe and outcome.error in CONNECT_ERRORS) or self._is_safe(call)

    def _is_safe(self, call: Call) -> bool:
        if self.methods is None or call.method in self.methods:
            return True
        return self.key_makes_safe and call.has_idempotency_key

    def describe(self) -> str:
        """In words."""
        what = [listing(self.statuses)] if self.statuses else []
        what += [_errors(self.errors)] if self.errors else []
        return (" and ".join(what) or "nothing") + _methods(self.methods)


OVERLOAD = Conditions()
"""What a second try can mend, by any method: the articles retry this."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """As another, which retries `status` too, but that only `times` times in a request.

    Article 003 allows a 500 once.
    """

    of: RetryOn
    status: int = 500
    times: int = 1

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By how often the status has been seen, and as the other."""
        if outcome.status == self.status and seen[self.status] > self.times:
            return False
        return self.of.retries(call, outcome, seen)

    def describe(self) -> str:
        """As in ``429, 500, 503, 500 at most 1×``."""
        return f"{self.of.describe()}, {self.status} at most {self.times}×"


def _errors(errors: frozenset[AttemptError]) -> str:
    if errors >= TRANSPORT_ERRORS:
        return "any transport error"
    return listing(error.value for error in errors)


def _methods(methods: frozenset[str] | None) -> str:
    if methods is None:
        return ""
    if methods == IDEMPOTENT_METHODS:
        return ", idempotent methods only"
    return f", only {listing(methods)}"
