"""What urllib3 retries: each kind of failure has its own rule and its own limit."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import IDEMPOTENT_METHODS, Call
from loadtests.policies.conditions.kinds import ANSWERS, READ_ERRORS, within
from loadtests.policies.outcome import CONNECT_ERRORS, TRANSPORT_ERRORS, AttemptError, Outcome
from loadtests.policies.units import listing
from loadtests.policies.words.urllib3 import is_unreadable

RETRY_AFTER_STATUSES = frozenset({413, 429, 503})
"""Retried where they carry a Retry-After, although no list of statuses names them."""
OTHER_ERRORS = frozenset(AttemptError) - TRANSPORT_ERRORS


@dataclass(frozen=True, slots=True)
class Urllib3Failures:
    """`util.retry.Retry`: connect errors by any method; read errors and statuses by some.

    `methods` None or empty allows any. `connect`, `read`, `status` and `other` bound how many
    failures of a kind are retried in a request; None does not. A Retry-After that cannot be read
    raises where urllib3 would wait for it, and so such an answer is not retried.
    """

    statuses: frozenset[int] = frozenset()
    methods: frozenset[str] | None = IDEMPOTENT_METHODS
    by_retry_after: bool = True
    reads_retry_after: bool = True
    connect: int | None = None
    read: int | None = None
    status: int | None = None
    other: int | None = None

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By its kind, and by how many of that kind there were."""
        if outcome.error is None:
            return self._retries_status(call, outcome) and within(self.status, seen, ANSWERS)
        if outcome.error in CONNECT_ERRORS:
            return within(self.connect, seen, CONNECT_ERRORS)
        if outcome.error in READ_ERRORS:
            return self._allows(call) and within(self.read, seen, READ_ERRORS)
        return within(self.other, seen, OTHER_ERRORS)

    def _retries_status(self, call: Call, outcome: Outcome) -> bool:
        if not self._allows(call):
            return False
        by_header = (
            self.by_retry_after
            and outcome.status in RETRY_AFTER_STATUSES
            and bool(outcome.headers.get("retry-after"))
        )
        if not (by_header or outcome.status in self.statuses):
            return False
        return not (self.reads_retry_after and is_unreadable(outcome))

    def _allows(self, call: Call) -> bool:
        return not self.methods or call.method in self.methods

    def describe(self) -> str:
        """Kind by kind."""
        statuses = [listing(self.statuses)] if self.statuses else []
        if self.by_retry_after:
            statuses.append(f"{listing(RETRY_AFTER_STATUSES)} with Retry-After")
        parts = [
            f"connect errors{_at_most(self.connect)}",
            f"read errors{_at_most(self.read)}{self._by()}",
        ]
        if statuses:
            parts.append(f"{', '.join(statuses)}{_at_most(self.status)}{self._by()}")
        return "; ".join(parts)

    def _by(self) -> str:
        if not self.methods:
            return ""
        idempotent = self.methods == IDEMPOTENT_METHODS
        return f" of {'idempotent methods' if idempotent else listing(self.methods)}"


def _at_most(limit: int | None) -> str:
    return "" if limit is None else f" (at most {limit})"
