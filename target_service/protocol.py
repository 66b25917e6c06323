"""HTTP with bounds: of a request's head, of the time it takes to come, of what comes ahead of time.

How large a body may be is the app's business.
"""

import asyncio
import sys

from target_service.bad_requests import (
    BadRequestError,
    HeadTooLargeError,
    HeadTooSlowError,
    NotOneHostError,
)
from target_service.limits import MAX_HEAD_BYTES
from target_service.upgrades import WithoutUpgrades

MAX_PIPELINED = 100
"""Requests that may wait behind the one that is being answered on their connection."""
PATIENCE_S = 30.0
"""For a whole head, and for more of a body."""


class TooManyPipelinedError(Exception):
    """A client does not wait for answers."""


class BoundedHeadProtocol(WithoutUpgrades):
    """Ends a connection that keeps the server waiting, takes too much of it, or is idle for long.

    That is: whose request line and headers, or trailers, go on for more than `MAX_HEAD_BYTES`, or
    are not there after `patience_s`; whose body does not go on for as long; or with
    `MAX_PIPELINED` requests waiting. The parser would keep and wait for all of it.
    """

    patience_s = PATIENCE_S
    _head_bytes = 0
    """What has come of a head, or trailers, but for a beginning behind something else."""
    _head_at_most = 0
    """The head and all that came with it: the parser does not tell where it begins and ends."""
    _in_head = True
    _awaited_since_s: float | None = None
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come; its request is awaited."""
        super().connection_made(transport)
        self._awaited_since_s = self.loop.time()
        self._alarm = self.loop.call_later(self.patience_s, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone: also for what is being answered while later requests already wait.

        Uvicorn tells the newest alone; the one being answered would write to a closed transport.
        """
        if self._alarm is not None:
            self._alarm.cancel()
        if self.answering is not None and not self.answering.response_complete:
            self.answering.leave()
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what has come, unless the head it belongs to is too long already."""
        self._head_bytes += len(data)
        self._head_at_most += len(data)
        if self._awaited_since_s is None or not self._in_head:
            self._awaited_since_s = self.loop.time()
        super().data_received(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            if self._in_head:
                self.transport.write(HeadTooLargeError.answer())
            self.transport.close()

    def on_message_begin(self) -> None:
        """The first of a request has come. Raises `TooManyPipelinedError`, which ends parsing."""
        if len(self.pipeline) >= MAX_PIPELINED:
            self.transport.abort()
            raise TooManyPipelinedError
        self._head_at_most = len(self._data)
        if self._awaited_since_s is None:
            self._awaited_since_s = self.loop.time()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is over. Raises `BadRequestError`, as which it is answered."""
        self._in_head, self._head_bytes = False, 0
        if self._head_at_most > MAX_HEAD_BYTES and self._size_of_head() > MAX_HEAD_BYTES:
            raise HeadTooLargeError
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            raise NotOneHostError
        super().on_headers_complete()

    def _size_of_head(self) -> int:
        """Of the head that is over: to count each would cost more than those that may be large."""
        request_line = len(self.parser.get_method() + self.url) + len("  HTTP/1.1\r\n")
        headers = sum(len(name) + len(value) + len(": \r\n") for name, value in self.headers)
        return request_line + headers + len("\r\n")

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's, one for all
        """Answer what cannot be parsed. Uvicorn calls this where it handles the parser's error."""
        raised = sys.exc_info()[1]
        cause = raised.__context__ if raised else None
        refused = type(cause) if isinstance(cause, BadRequestError) else BadRequestError
        self.transport.write(refused.answer())
        self.transport.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header of the head. Trailers, behind a body, are dropped (RFC 9110, 6.5.1).

        Uvicorn would take them for headers where all of a request comes in one piece.
        """
        if self._in_head:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """More of the body has come."""
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The next bytes begin another head."""
        self._in_head, self._head_bytes = True, 0
        self._awaited_since_s = None
        super().on_message_complete()

    def _look(self) -> None:
        """Look at times whether it is too late: an alarm for each request would cost too much."""
        transport = self.transport
        if transport.is_closing() or transport.get_protocol() is not self:
            return  # a tunnel may have it by now
        left_s, now_s = self.patience_s, self.loop.time()
        if self._awaited_since_s is not None:
            if self._is_the_clients_turn():
                left_s -= now_s - self._awaited_since_s
        elif self.idle_since_s is not None:
            left_s = min(left_s, self.timeout_keep_alive - (now_s - self.idle_since_s))
        if left_s > 0:
            self._alarm = self.loop.call_later(left_s, self._look)
            return
        if self._in_head and self._head_bytes:
            transport.write(HeadTooSlowError.answer())
        transport.close()

    def _is_the_clients_turn(self) -> bool:
        """Whether it is not us who do not read, have not asked, or still owe an answer."""
        if self.flow.read_paused or self.cycle is None or self.cycle.response_complete:
            return not self.flow.read_paused
        return not self._in_head and not self.cycle.waiting_for_100_continue
