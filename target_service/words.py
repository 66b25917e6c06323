"""The server's word: what it says with an attempt that it turns away."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from enum import StrEnum
from random import Random

from starlette.types import Send

from aftershock_units import parse_duration_s
from target_service.disorder.faults import Error
from target_service.error_body import error_body
from target_service.limits import MAX_RETRY_AFTER_S
from target_service.service.jobs import Fate, Verdict

OWNED = b"x-aftershock-error-owned"
"""``true``: the error arose here and nowhere below: callers who heed ownership retry only such."""
SHOULD_RETRY = (b"x-should-retry", b"false")
PUSHBACK = b"grpc-retry-pushback-ms"

Headers = list[tuple[bytes, bytes]]


class RetryAfterAs(StrEnum):
    """The two forms of Retry-After (RFC 9110, 10.2.3)."""

    SECONDS = "seconds"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Span:
    """A duration in seconds, or one drawn from a range: spread at the server."""

    low_s: float
    high_s: float

    def draw_s(self, rng: Random) -> float:
        """One of the range, each as likely."""
        return self.low_s if self.low_s == self.high_s else rng.uniform(self.low_s, self.high_s)


def parse_span(text: str) -> Span:
    """``"2s"`` or ``"1s..5s"``. Raises `ValueError` naming what is allowed."""
    low, dots, high = text.partition("..")
    low_s = parse_duration_s(low)
    high_s = parse_duration_s(high) if dots else low_s
    if not low_s <= high_s <= MAX_RETRY_AFTER_S:
        raise ValueError('expected a duration up to 1h, or a range, as in "2s" or "1s..5s"')
    return Span(low_s, high_s)


@dataclass(frozen=True, slots=True)
class Word:
    """What goes with a refusal. `pushback` None: nothing is said; `NEVER`: do not retry at all."""

    status: int = 503
    retry_after: Span | None = None
    retry_after_as: RetryAfterAs = RetryAfterAs.SECONDS
    pushback: Span | None = None
    do_not_retry: bool = False
    owns_errors: bool = True

    def fixed(self) -> Headers:
        """The headers that are the same in every answer."""
        headers = [(OWNED, b"true")] if self.owns_errors else []
        if self.do_not_retry:
            headers.append(SHOULD_RETRY)
        if self.pushback == NEVER:
            headers.append((PUSHBACK, b"-1"))
        if self.retry_after is not None and self._says_same(self.retry_after):
            headers.append((b"retry-after", b"%d" % round(self.retry_after.low_s)))
        return headers

    def drawn(self, rng: Random, epoch_s: float) -> Headers:
        """The headers that differ from answer to answer."""
        headers: Headers = []
        if self.retry_after is not None and not self._says_same(self.retry_after):
            headers.append((b"retry-after", self._retry_after(self.retry_after, rng, epoch_s)))
        if self.pushback is not None and self.pushback != NEVER:
            headers.append((PUSHBACK, b"%d" % round(self.pushback.draw_s(rng) * 1000)))
        return headers

    @property
    def draws(self) -> bool:
        """Whether answers differ."""
        pushes = self.pushback is not None and self.pushback != NEVER
        return pushes or (self.retry_after is not None and not self._says_same(self.retry_after))

    def _says_same(self, span: Span) -> bool:
        return span.low_s == span.high_s and self.retry_after_as is RetryAfterAs.SECONDS

    def _retry_after(self, span: Span, rng: Random, epoch_s: float) -> bytes:
        """Whole seconds are all that Retry-After can say; of a range any of them is drawn."""
        seconds = rng.randint(round(span.low_s), round(span.high_s))
        if self.retry_after_as is RetryAfterAs.DATE:
            return formatdate(round(epoch_s) + seconds, usegmt=True).encode()
        return b"%d" % seconds


NEVER = Span(-1.0, -1.0)


def parse_pushback(text: str) -> Span:
    """``"100ms"``, ``"100ms..1s"`` or ``"never"``. Raises `ValueError` naming what is allowed."""
    if text == "never":
        return NEVER
    try:
        return parse_span(text)
    except ValueError as error:
        raise ValueError(f'{error}, or "never"') from None


def headers_of_fault(error: Error) -> Headers:
    """What goes with an error that a fault answers with: it arose here."""
    headers: Headers = [(OWNED, b"true")]
    if error.retry_after_s is not None:
        headers.append((b"retry-after", b"%d" % error.retry_after_s))
    return headers


class Answer:
    """A small JSON response, encoded once and sent many times."""

    def __init__(
        self,
        status: int,
        error: str,
        message: str,
        headers: Headers,
        drawn: Callable[[], Headers] | None = None,
    ) -> None:
        """`drawn` makes the headers that differ from answer to answer."""
        self._body = error_body(error, message)
        self._status = status
        self._headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(self._body)).encode()),
            *headers,
        ]
        self._drawn = drawn

    async def __call__(self, send: Send) -> None:
        # The list is copied: layers outside may append to what they are handed.
        headers = [*self._headers, *self._drawn()] if self._drawn else list(self._headers)
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body})


def refusals(
    word: Word, rng: Random, epoch: Callable[[], float] = time.time
) -> dict[Verdict | Fate, Answer]:
    """The answers to attempts that are not served, with the server's word.

    `rng` draws what is spread at the server; `epoch` has the time for dates.
    """
    fixed = word.fixed()
    drawn = (lambda: word.drawn(rng, epoch())) if word.draws else None

    def answer(error: str, message: str, status: int = word.status) -> Answer:
        return Answer(status, error, message, fixed, drawn)

    expired = answer("deadline-over", "the deadline of the attempt is over", 504)
    return {
        Verdict.FULL: answer("over-capacity", "turned away: the lane is at capacity"),
        Verdict.BLOCKED: answer("blocked", "turned away at the edge, by an operator"),
        Verdict.EXPIRED: expired,
        Fate.SHED: answer("shed", "turned away after having waited in the queue"),
        Fate.EXPIRED: expired,
    }
