"""The server's word to go-retryablehttp."""

import re
from datetime import UTC, datetime
from random import Random

from loadtests.policies.outcome import Outcome
from loadtests.policies.words.rule import BackoffWait, Unheeded

HEEDED_STATUSES = frozenset({429, 503})
_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}")
_DATE = re.compile(
    r"(?:mon|tue|wed|thu|fri|sat|sun), (\d\d) ([a-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) "
    r"(?-i:[A-Z]{3,4})",
    re.IGNORECASE | re.ASCII,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NANOSECONDS = 1_000_000_000
_INT64 = 1 << 63


class RetryablehttpRetryAfter(Unheeded):
    """Retry-After of a 429 or 503 in place of the backoff's wait, without a bound.

    0 and a date in the past are no wait at all; what cannot be read is as if it were not there.
    """

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the answer asks for; else the backoff's own."""
        value = outcome.headers.get("retry-after")
        if not value or outcome.status not in HEEDED_STATUSES:
            return backoff_s()
        asked_s = _asked_s(value, outcome.received_epoch_s)
        return backoff_s() if asked_s is None else asked_s

    def describe(self) -> str:
        """In words."""
        return "Retry-After of a 429 or 503 instead, exactly and however long"


def _asked_s(value: str, now_epoch_s: float) -> float | None:
    """Whole seconds of 64 bits, or until a date as RFC 1123 writes it; None for anything else."""
    if _WHOLE.fullmatch(value):
        seconds = int(value)
        return _slept_s(seconds) if 0 <= seconds < _INT64 else None
    if not (match := _DATE.fullmatch(value)):
        return None
    day, month, *others = match.groups()
    try:
        year, hour, minute, second = map(int, others)
        number = _MONTHS.index(month.lower()) + 1
        date = datetime(year, number, int(day), hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return max(0.0, date.timestamp() - now_epoch_s)


def _slept_s(seconds: int) -> float:
    """What Go sleeps: a count of nanoseconds that wraps after 292 years; a negative one is none."""
    wrapped = (seconds * _NANOSECONDS + _INT64) % (2 * _INT64) - _INT64
    return max(0, wrapped) / _NANOSECONDS
