"""The server's word to httpx-retries."""

from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from random import Random

from loadtests.policies.checks import check_not_negative
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration
from loadtests.policies.words.rule import BackoffWait, Unheeded


@dataclass(frozen=True, slots=True)
class HttpxRetryAfter(Unheeded):
    """Retry-After, at most `most_s`, in place of the backoff's wait.

    The backoff's where it is 0, in the past or cannot be read.
    """

    most_s: float = 120.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("most_s", self.most_s)

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the answer asks for, bounded; else the backoff's own."""
        value = outcome.headers.get("retry-after", "").strip()
        asked_s = _asked_s(value, outcome.received_epoch_s) if value else 0.0
        return min(asked_s, self.most_s) or backoff_s()

    def describe(self) -> str:
        """In words."""
        return f"Retry-After of up to {duration(self.most_s)} instead, exactly"


def _asked_s(value: str, now_epoch_s: float) -> float:
    """Whole seconds, or until an HTTP date; 0 for anything else."""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
        date = date.replace(tzinfo=UTC) if date.tzinfo is None else date
        return max(0.0, date.timestamp() - now_epoch_s)
    except (IndexError, OverflowError, TypeError, ValueError):
        return 0.0
