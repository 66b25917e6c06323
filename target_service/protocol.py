"""HTTP with bounds: of a request's head, of the time it takes to come, of what comes ahead of time.

How large a body may be is the app's business.
"""

import asyncio

from target_service.upgrades import WithoutUpgrades

MAX_HEAD_BYTES = 64 * 1024
MAX_PIPELINED = 100
"""Requests that may wait behind the one that is being answered on their connection."""
PATIENCE_S = 30.0
"""For a whole head, and for more of a body."""

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class TooManyPipelinedError(Exception):
    """A client does not wait for answers."""


class NotOneHostError(Exception):
    """A request that names two hosts, as layers differ in which holds, or none: a 400.

    That is RFC 9112, 3.2; HTTP/1.0 need not name any.
    """


class BoundedHeadProtocol(WithoutUpgrades):
    """Ends a connection that keeps the server waiting, takes too much of it, or is idle for long.

    That is: whose request line and headers, or trailers, go on for more than `MAX_HEAD_BYTES`, or
    are not there after `patience_s`; whose body does not go on for as long; or with
    `MAX_PIPELINED` requests waiting. The parser would keep and wait for all of it.
    """

    patience_s = PATIENCE_S
    _head_bytes = 0
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
        if self._awaited_since_s is None or not self._in_head:
            self._awaited_since_s = self.loop.time()
        super().data_received(data)
        if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            if self._in_head:
                self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """The first of a request has come. Raises `TooManyPipelinedError`, which ends parsing."""
        if len(self.pipeline) >= MAX_PIPELINED:
            self.transport.abort()
            raise TooManyPipelinedError
        if self._awaited_since_s is None:
            self._awaited_since_s = self.loop.time()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is over. Raises `NotOneHostError`, which is answered with a 400."""
        self._in_head, self._head_bytes = False, 0
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (not hosts and self.parser.get_http_version() != "1.0"):
            raise NotOneHostError
        super().on_headers_complete()

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
            transport.write(_TOO_SLOW)
        transport.close()

    def _is_the_clients_turn(self) -> bool:
        """Whether it is not us who do not read, have not asked, or still owe an answer."""
        if self.flow.read_paused or self.cycle is None or self.cycle.response_complete:
            return not self.flow.read_paused
        return not self._in_head and not self.cycle.waiting_for_100_continue
