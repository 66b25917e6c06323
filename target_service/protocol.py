"""HTTP with bounds: of a request's head, of the time it takes to come, of what comes ahead of time.

How large a body may be is the app's business.
"""

import asyncio
import socket
import struct

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from target_service.connection import EXTENSION
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
_LINGER_NOT_AT_ALL = struct.pack("ii", 1, 0)
"""With this a close sends a RST and drops what was not sent yet (socket(7), SO_LINGER)."""


class RequestConnection:
    """The connection of one request under uvicorn: a `target_service.connection.Connection`."""

    __slots__ = ("_cycle", "_transport")

    def __init__(self, transport: asyncio.Transport, cycle: RequestResponseCycle) -> None:
        self._transport = transport
        self._cycle = cycle

    @property
    def gone(self) -> bool:
        """Whether the client has gone; to ask uvicorn's `receive` costs as much as an attempt."""
        return self._cycle.disconnected

    def reset(self) -> None:
        """End it with a RST at once."""
        own: socket.socket | None = self._transport.get_extra_info("socket")
        if own is not None and not self._transport.is_closing():
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT_AT_ALL)
        self._transport.abort()
        self._gone()

    def close(self) -> None:
        """End it once what was written is sent."""
        self._transport.close()
        self._gone()

    def _gone(self) -> None:
        """Uvicorn would notice only later, and complain of an answer that is not complete."""
        self._cycle.disconnected = True
        self._cycle.message_event.set()


class TooManyPipelinedError(Exception):
    """A client does not wait for answers."""


class BoundedHeadProtocol(WithoutUpgrades):
    """Ends a connection that keeps the server waiting, or takes too much of it.

    That is: whose request line and headers go on for more than `MAX_HEAD_BYTES`, or are not there
    after `patience_s`; whose body does not go on for as long; or with `MAX_PIPELINED` requests
    waiting. The parser would keep and wait for all of it.
    """

    patience_s = PATIENCE_S
    _head_bytes = 0
    _in_head = True
    _awaited_since_s: float | None = None
    _alarm: asyncio.TimerHandle | None = None
    _answering: RequestResponseCycle | None = None

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
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        """Parse what has come, unless the head it belongs to is too long already."""
        if self._in_head:
            self._head_bytes += len(data)
        if self._awaited_since_s is None or not self._in_head:
            self._awaited_since_s = self.loop.time()
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
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
        """The head is over."""
        self._in_head = False
        super().on_headers_complete()
        # The task that reads this has been made, but runs only after what has come is parsed.
        if self.cycle is not None and self.cycle.scope is self.scope:
            connection = RequestConnection(self.transport, self.cycle)
            self.scope["extensions"] = {EXTENSION: connection}  # type: ignore[dict-item]  # ours

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
        left_s = self.patience_s
        if self._awaited_since_s is not None and self._is_the_clients_turn():
            left_s -= self.loop.time() - self._awaited_since_s
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
