"""The server's word to AWS clients."""

from dataclasses import dataclass
from random import Random

from loadtests.policies.checks import check_not_negative
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration
from loadtests.policies.words.rule import BackoffWait, Unheeded


@dataclass(frozen=True, slots=True)
class RaisedByAmzRetryAfter(Unheeded):
    """``max(w, min(ra, w + most))`` of the backoff's wait w and ``x-amz-retry-after`` in ms.

    The answer can raise the wait, by `most_s` at most, and cannot shorten it.
    """

    most_s: float = 5.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("most_s", self.most_s)

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """The backoff's wait, raised."""
        own_s = backoff_s()
        asked_s = _asked_s(outcome)
        return own_s if asked_s is None else max(own_s, min(asked_s, own_s + self.most_s))

    def describe(self) -> str:
        """In words."""
        return f"raised to x-amz-retry-after, by {duration(self.most_s)} at most"


def _asked_s(outcome: Outcome) -> float | None:
    """What the header asks for in whole milliseconds; None for anything else."""
    value = outcome.headers.get("x-amz-retry-after")
    if value is None:
        return None
    try:
        return int(value) / 1000.0
    except (ValueError, OverflowError):
        return None
