"""The server's word to OpenAI clients."""

import math
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from random import Random

from loadtests.policies.checks import check_not_negative
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration
from loadtests.policies.words.rule import BackoffWait, Unheeded

_INFINITY = ("inf", "+inf", "infinity", "+infinity")


@dataclass(frozen=True, slots=True)
class OpenAiRetryAfter(Unheeded):
    """Retry-After of up to `most_s`, exactly; longer ones forbid a retry.

    `retry-after-ms` goes before Retry-After. ``x-should-retry`` says yes or no to any failure, but
    does not overrule a wait that is too long.
    """

    most_s: float = 120.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a bound below 0."""
        check_not_negative("most_s", self.most_s)

    def forbids(self, outcome: Outcome) -> bool:
        """By a wait that is too long, or ``x-should-retry: false``."""
        if not outcome.headers:
            return False
        asked_s = _asked_s(outcome)
        too_long = asked_s is not None and math.isfinite(asked_s) and asked_s > self.most_s
        return too_long or outcome.headers.get("x-should-retry") == "false"

    def demands(self, outcome: Outcome) -> bool:
        """By ``x-should-retry: true``."""
        return outcome.headers.get("x-should-retry") == "true"

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """What the answer asks for, exactly; else the backoff's own."""
        asked_s = _asked_s(outcome) if outcome.headers else None
        return asked_s if asked_s is not None and 0 < asked_s <= self.most_s else backoff_s()

    def describe(self) -> str:
        """In words."""
        return f"Retry-After of up to {duration(self.most_s)} instead, exactly; none after a longer"


def _asked_s(outcome: Outcome) -> float | None:
    """The wait asked for: milliseconds, else seconds, else until an HTTP date. None for none.

    It may be negative, infinite or not a number: what the header says. A number that only
    overflows is a very long wait.
    """
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = outcome.headers.get(name)
        if value is None:
            continue
        try:
            asked = float(value)
        except ValueError:
            continue
        if asked == math.inf and value.strip().lower() not in _INFINITY:
            return 1e300
        return asked / divisor
    try:
        parsed = parsedate_tz(outcome.headers.get("retry-after", ""))
        return None if parsed is None else float(mktime_tz(parsed) - outcome.received_epoch_s)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
