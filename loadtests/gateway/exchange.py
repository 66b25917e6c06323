"""Makes the attempts of one request, and says when there may be no more."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from loadtests.gateway.answers import Answer, Response
from loadtests.gateway.bodies import StreamedBody
from loadtests.gateway.driving import Ended
from loadtests.gateway.headers import Forwarded, Header, policy_headers, says_do_not_retry
from loadtests.policies import AttemptError, Outcome, Send
from target_service.upstream import UpstreamError, UpstreamErrorKind

ERRORS = {
    UpstreamErrorKind.REFUSED: AttemptError.REFUSED,
    UpstreamErrorKind.UNREACHABLE: AttemptError.UNREACHABLE,
    UpstreamErrorKind.CONNECT_TIMEOUT: AttemptError.CONNECT_TIMEOUT,
    UpstreamErrorKind.TIMEOUT: AttemptError.TIMEOUT,
    UpstreamErrorKind.RESET: AttemptError.RESET,
    UpstreamErrorKind.CLOSED: AttemptError.CLOSED,
    UpstreamErrorKind.NOT_HTTP: AttemptError.NOT_HTTP,
}


SHORTEST_ATTEMPT_S = 0.001
"""With less than that left until the deadline it is over: timers are no finer."""

_LAST_STATUS = 599
"""There are no others (RFC 9110, section 15), and servers cannot send them."""


@dataclass(frozen=True, slots=True)
class Message:
    """What every attempt of a request sends, but for what differs from attempt to attempt."""

    method: bytes
    target: bytes
    headers: Forwarded
    body: bytes | StreamedBody


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all requests: how long an attempt may take, and whose word is heeded."""

    timeout_s: float
    ignore_do_not_retry: bool = False
    withhold_ownership: bool = False


class Upstream(Protocol):
    """What attempts are sent with: an `UpstreamClient`."""

    async def send(
        self,
        method: bytes,
        target: bytes,
        headers: Sequence[Header],
        body: bytes | AsyncIterator[bytes],
        timeout_s: float | None = None,
    ) -> Response:
        """Send one message and wait for the head of its answer. Raises `UpstreamError`."""
        ...

    async def close(self) -> None:
        """No more are sent."""
        ...


class Exchange:
    """The attempts of one request. `deadline_s` is when its caller gives up, if it said so."""

    def __init__(  # noqa: PLR0913, PLR0917 - all that an attempt depends on
        self,
        upstream: Upstream,
        message: Message,
        terms: Terms,
        deadline_s: float | None,
        now_s: Callable[[], float],
        epoch_s: Callable[[], float] = time.time,
    ) -> None:
        self._upstream = upstream
        self._message = message
        self._terms = terms
        self._deadline_s = deadline_s
        self._now_s = now_s
        self._epoch_s = epoch_s
        self._forbidden = False

    @property
    def hedges(self) -> bool:
        """A body that can be had once can only be in one attempt."""
        return not isinstance(self._message.body, StreamedBody)

    @property
    def is_over(self) -> bool:
        """The deadline has come."""
        return self._is_over_at(self._now_s())

    def may_send_at(self, at_s: float) -> bool:
        """Not after the deadline, a do-not-retry, or the beginning of a body that is streamed."""
        body = self._message.body
        if self._forbidden or (isinstance(body, StreamedBody) and body.begun):
            return False
        return not self._is_over_at(at_s)

    async def attempt(self, number: int, send: Send) -> Ended[Answer]:
        """One message on the wire, and what became of it."""
        started_s = self._now_s()
        try:
            answer = await self._ask(number, send)
        except UpstreamError as error:
            elapsed_s = self._now_s() - started_s
            return Ended(Outcome(None, elapsed_s, ERRORS[error.kind]), None)
        ignored = self._terms.ignore_do_not_retry
        headers = policy_headers(answer.headers, ignore_do_not_retry=ignored)
        outcome = Outcome(
            status=answer.status,
            elapsed_s=self._now_s() - started_s,
            headers=headers,
            received_epoch_s=self._epoch_s(),
        )
        if says_do_not_retry(headers):
            self._forbidden = True
        return Ended(outcome, answer)

    async def _ask(self, number: int, send: Send) -> Answer:
        own_s = self._terms.timeout_s
        bound_s = own_s if send.timeout_s is None else min(own_s, send.timeout_s)
        until_s = self._now_s() + self._within_s(bound_s)
        headers = self._message.headers.of_attempt(number, self._left_s())
        body = self._message.body
        if isinstance(body, bytes):
            response = await self._send(headers, body, self._within_s(bound_s))
        else:
            response = await self._stream(headers, body, bound_s)
            until_s = self._now_s() + self._within_s(bound_s)
        answer = Answer(response, own_s)
        try:
            if not 200 <= answer.status <= _LAST_STATUS:
                raise UpstreamError(UpstreamErrorKind.NOT_HTTP)
            await answer.take_whole_if_small(until_s - self._now_s())
        except BaseException:
            answer.close()
            raise
        return answer

    async def _send(
        self, headers: list[Header], body: bytes | AsyncIterator[bytes], within_s: float | None
    ) -> Response:
        message = self._message
        return await self._upstream.send(message.method, message.target, headers, body, within_s)

    async def _stream(self, headers: list[Header], body: StreamedBody, bound_s: float) -> Response:
        """Send a body as it comes: upstream has an attempt's time for each piece, and to answer.

        While its client is awaited only the deadline runs: that is not upstream's doing, and the
        policy, with its breaker, is to hear nothing of it.
        """
        loop = asyncio.get_running_loop()

        def turn(clients: bool) -> None:
            if not bound.expired():
                within_s = self._left_s() if clients else self._within_s(bound_s)
                bound.reschedule(None if within_s is None else loop.time() + within_s)

        try:
            async with asyncio.timeout(self._within_s(bound_s)) as bound:
                try:
                    return await self._send(headers, body.pieces(turn), None)
                finally:
                    body.is_answered()
        except TimeoutError:
            late, unmet = UpstreamErrorKind.TIMEOUT, UpstreamErrorKind.CONNECT_TIMEOUT
            raise UpstreamError(late if body.begun else unmet) from None

    def _within_s(self, bound_s: float) -> float:
        """The bound, or what is left until the deadline."""
        left_s = self._left_s()
        return bound_s if left_s is None else min(bound_s, left_s)

    def _is_over_at(self, at_s: float) -> bool:
        return self._deadline_s is not None and at_s > self._deadline_s - SHORTEST_ATTEMPT_S

    def _left_s(self) -> float | None:
        return None if self._deadline_s is None else max(0.0, self._deadline_s - self._now_s())
