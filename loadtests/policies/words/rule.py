"""The server's word about retrying: wait this long, or do not retry at all."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from random import Random
from typing import Protocol

from loadtests.policies.outcome import Outcome

BackoffWait = Callable[[], float]
"""Draws the backoff's own wait, in seconds; what is not called draws nothing."""


class ServerWord(Protocol):
    """How a client heeds what the server says. A frozen value, that others can wrap."""

    def forbids(self, outcome: Outcome) -> bool:
        """The server said not to retry."""
        ...

    def demands(self, outcome: Outcome) -> bool:
        """The server's word makes a failure worth a retry that would not be otherwise."""
        ...

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """The wait, in seconds, from what was said and the backoff's own."""
        ...

    def restarts_backoff(self, outcome: Outcome) -> bool:
        """After this outcome the backoff begins anew."""
        ...

    def describe(self) -> str:
        """In words; empty when nothing is heeded."""
        ...


class Unheeded:
    """Whatever the server says, the client backs off by its own rule. The base of the others."""

    def forbids(self, outcome: Outcome) -> bool:
        """Never."""
        return False

    def demands(self, outcome: Outcome) -> bool:
        """Never."""
        return False

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """The backoff's own."""
        return backoff_s()

    def restarts_backoff(self, outcome: Outcome) -> bool:
        """Never."""
        return False

    def describe(self) -> str:
        """Nothing is heeded."""
        return ""


def retry_after_s(outcome: Outcome) -> float | None:
    """The wait that a Retry-After header asks for: whole seconds, or until an HTTP date (in GMT).

    RFC 9110, section 10.2.3. None when there is none, or it is neither. A date in the past is 0.
    """
    value = outcome.headers.get("retry-after")
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    # A date is in GMT whether it says so or not; read as local time it is a wait of hours.
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
    return max(0.0, date.timestamp() - outcome.received_epoch_s)


@dataclass(frozen=True, slots=True)
class AddedRetryAfter(Unheeded):
    """Retry-After plus the jittered wait (article 003): `max()` of the two makes a herd."""

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """The sum."""
        return backoff_s() + (retry_after_s(outcome) or 0.0)

    def describe(self) -> str:
        """In words."""
        return "plus Retry-After"
