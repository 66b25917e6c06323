"""HTTP with a bounded head: bodies are the app's to bound, what comes before is the server's."""

import asyncio
import socket
import struct

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from target_service.connection import EXTENSION

MAX_HEAD_BYTES = 64 * 1024

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)
_LINGER_NOT_AT_ALL = struct.pack("ii", 1, 0)
"""With this a close sends a RST and drops what was not sent yet (socket(7), SO_LINGER)."""


class RequestConnection:
    """The connection of one request under uvicorn: a `target_service.connection.Connection`."""

    __slots__ = ("_cycle", "_transport")

    def __init__(self, transport: asyncio.Transport, cycle: RequestResponseCycle) -> None:
        self._transport = transport
        self._cycle = cycle

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


class BoundedHeadProtocol(HttpToolsProtocol):
    """Ends a connection whose request line and headers go on for more than `MAX_HEAD_BYTES`.

    The parser keeps what it has of them, however much that is.
    """

    _head_bytes = 0
    _in_head = True

    def data_received(self, data: bytes) -> None:
        """Parse what has come, unless the head it belongs to is too long already."""
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

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
        super().on_message_complete()
