"""What Envoy reads from a server that limits rates: when to come back."""

import re
from dataclasses import dataclass
from random import Random

from loadtests.policies.outcome import Outcome
from loadtests.policies.units import duration
from loadtests.policies.words.rule import BackoffWait, Unheeded

_TOO_EARLY = 425


@dataclass(frozen=True, slots=True)
class ResetHeader:
    """A header that says when to come back: in seconds, or at a time since 1970."""

    name: str
    unix: bool

    def interval_ms(self, outcome: Outcome) -> int | None:
        """The wait that it asks for; None where it is absent, unreadable or in the past."""
        value = outcome.headers.get(self.name, "").strip()
        if not re.fullmatch(r"\+?[0-9]{1,15}", value):
            return None
        seconds = int(value) - (int(outcome.received_epoch_s) if self.unix else 0)
        return seconds * 1000 if seconds >= 0 else None


def reset_headers(text: str) -> tuple[ResetHeader, ...]:
    """Headers in ``retry-after:seconds x-ratelimit-reset:unix``, in their order.

    Raises `ValueError` for a format that is neither.
    """
    headers = []
    for word in text.split():
        name, colon, kind = word.rpartition(":")
        if not (name and colon) or kind not in ("seconds", "unix"):
            raise ValueError(f"{word!r}: expected HEADER:seconds or HEADER:unix")
        headers.append(ResetHeader(name.lower(), unix=kind == "unix"))
    return tuple(headers)


@dataclass(frozen=True, slots=True)
class RateLimitedBackoff(Unheeded):
    """``U(v, 1.5·v)`` of the wait v that the first of `headers` asks for, if it is in bounds.

    Anything above `longest_s`, and 0, is passed over for the next header and then for the usual
    back-off. A 425 that is retried is retried at once.
    """

    headers: tuple[ResetHeader, ...] = ()
    longest_s: float = 300.0

    def wait_s(self, outcome: Outcome, backoff_s: BackoffWait, rng: Random) -> float:
        """In whole milliseconds. What is drawn here does not move the usual back-off on."""
        if outcome.status == _TOO_EARLY:
            return 0.0
        asked_ms = self._asked_ms(outcome) if self.headers and outcome.status is not None else None
        if asked_ms is None:
            return backoff_s()
        return (asked_ms + int(rng.random() * (asked_ms // 2))) / 1000

    def _asked_ms(self, outcome: Outcome) -> int | None:
        for header in self.headers:
            interval = header.interval_ms(outcome)
            if interval is not None and interval <= self.longest_s * 1000:
                return interval if interval > 1 else None
        return None

    def describe(self) -> str:
        """In words; nothing where no header is heeded."""
        if not self.headers:
            return ""
        names = " or ".join(header.name for header in self.headers)
        return f"or U(v, 1.5·v) of {names}, up to {duration(self.longest_s)}"
