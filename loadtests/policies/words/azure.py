"""The server's word to Azure clients."""

from datetime import datetime, timedelta, timezone
from email.utils import parsedate_tz
from functools import lru_cache
from random import Random

from loadtests.policies.outcome import Outcome
from loadtests.policies.words.rule import BackoffWait, Unheeded

_IN_MILLISECONDS = ("retry-after-ms", "x-ms-retry-after-ms")
_LONGEST_SLEEP_S = 9.2e9
"""What a 64-bit count of nanoseconds holds: a longer sleep raises, and the request ends there."""


class AzureRetryAfter(Unheeded):
    """Retry-After, or milliseconds in a header of Azure's own, in place of the backoff's wait.

    The backoff's wait where they ask for 0. A header that cannot be read raises in azure-core, and
    so forbids a retry here.
    """

    def forbids(self, outcome: Outcome) -> bool:
        """By a header that cannot be read or waited for."""
        try:
            return _asked_s(outcome) > _LONGEST_SLEEP_S
        except (ValueError, OverflowError):
            return True

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the answer asks for, exactly; else the backoff's own."""
        return _asked_s(outcome) or backoff_s()

    def describe(self) -> str:
        """In words."""
        return "Retry-After (or its milliseconds) instead, exactly"


def _asked_s(outcome: Outcome) -> float:
    """The wait asked for, 0 for none. An empty header is none.

    Raises `ValueError` or `OverflowError` for a value that is no number and no HTTP date.
    """
    headers = outcome.headers
    if not headers:
        return 0.0
    if value := headers.get("retry-after"):
        return _seconds(value, outcome.received_epoch_s)
    for name in _IN_MILLISECONDS:
        if value := headers.get(name):
            return _seconds(value, outcome.received_epoch_s) / 1000
    return 0.0


def _seconds(value: str, now_epoch_s: float) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = _date_epoch_s(value) - now_epoch_s
    return seconds if seconds > 0 else 0.0  # and so 0 where it is not a number


@lru_cache(maxsize=64)  # an answer is asked twice, and many have the same date
def _date_epoch_s(value: str) -> float:
    """Raises `ValueError` or `OverflowError` for what is no date."""
    parsed = parsedate_tz(value)
    if parsed is None:
        raise ValueError(f"{value!r} is no HTTP date")
    zone = timezone(timedelta(seconds=parsed[9] or 0))
    return datetime(*parsed[:6], tzinfo=zone).timestamp()
