"""The server's word to urllib3."""

import re
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache
from random import Random

from loadtests.policies.checks import check_not_negative
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration
from loadtests.policies.words.rule import BackoffWait, Unheeded

_SECONDS = re.compile(r"\s*[0-9]+\s*")


@dataclass(frozen=True, slots=True)
class Urllib3RetryAfter(Unheeded):
    """Retry-After, at most `most_s`, in place of the backoff's wait; the backoff's where it is 0.

    A date is read in GMT. Whether what cannot be read ends the request is for `Urllib3Failures`.
    """

    most_s: float = 21_600.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("most_s", self.most_s)

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the answer asks for, bounded; else the backoff's own."""
        try:
            asked_s = _asked_s(outcome)
        except ValueError:
            asked_s = None
        return min(asked_s, self.most_s) if asked_s and self.most_s else backoff_s()

    def describe(self) -> str:
        """In words."""
        return f"Retry-After of up to {duration(self.most_s)} instead, exactly"


def is_unreadable(outcome: Outcome) -> bool:
    """The answer has a Retry-After that is neither whole seconds nor a date: `1.5`, `-5`."""
    if "retry-after" not in outcome.headers:
        return False
    try:
        _asked_s(outcome)
    except ValueError:
        return True
    return False


def _asked_s(outcome: Outcome) -> float | None:
    """The wait asked for, 0 for a date in the past; None where nothing is asked for.

    Raises `ValueError` for what cannot be read.
    """
    value = outcome.headers.get("retry-after")
    if value is None:
        return None
    if _SECONDS.fullmatch(value):
        return float(value)
    date_s = _epoch_s(value)
    if date_s is None:
        raise ValueError(f"Retry-After is {value!r}")
    return max(0.0, date_s - outcome.received_epoch_s)


@lru_cache(maxsize=64)  # it is asked twice of each answer, and reading a date takes microseconds
def _epoch_s(value: str) -> float | None:
    """When the date is, in GMT unless it says otherwise; None for what is no date."""
    try:
        date = parsedate_tz(value)
        return None if date is None else float(mktime_tz(date))
    except (IndexError, OverflowError, TypeError, ValueError):
        return None
