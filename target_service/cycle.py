"""One request and its answer under uvicorn, with the means to end its connection.

Of an answer the head goes out with the first of the body, as ASGI asks for, in one write: a second
one costs as much as a third of all that a small answer takes.
"""

import socket
import struct
from typing import Final

from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

_CONTROLS: Final = bytes({*range(32), 127} - {9})
"""No header has one of these; a head has two at the end of each line."""
_OF_THE_MESSAGE: Final = frozenset({b"content-length", b"transfer-encoding", b"connection"})
_NO_BODY: Final = frozenset({204, 304})
_LINGER_NOT_AT_ALL: Final = struct.pack("ii", 1, 0)
"""With this a close sends a RST and drops what was not sent yet (socket(7), SO_LINGER)."""


class Cycle(RequestResponseCycle):
    """Answers one request; it is also the `target_service.connection.Connection` of its scope."""

    _head = b""
    """What of the answer is not written yet."""
    _ends_with_connection = False
    """No length is said, and the client knows of no chunks: it speaks HTTP/1.0."""

    async def send(self, message: Message) -> None:  # type: ignore[override]  # Starlette's type
        """What the app sends. Raises `RuntimeError` for what is not to be sent now or at all."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        kind = message["type"]
        if not self.response_started and kind == "http.response.start":
            self._head = self._begin(message["status"], message.get("headers", ()))
            self.response_started, self.waiting_for_100_continue = True, False
        elif self.response_started and not self.response_complete and kind == "http.response.body":
            self._go_on(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise RuntimeError(f"an unexpected message: {kind!r}")

    def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> bytes:
        """The head of the answer, as it is sent."""
        lines = [STATUS_LINE[status][:-2]]
        close = False
        for name, value in (*self.default_headers, *headers):
            key = name.lower()
            if key in _OF_THE_MESSAGE:
                close = self._heed(key, value) or close
            lines.append(b": ".join((key, value)))
        if not (self.keep_alive or close):
            lines.append(b"connection: close")
        if self.chunked_encoding is None and not self._is_bodiless(status):
            self._ends_with_connection = self.scope["http_version"] == "1.0"
            self.chunked_encoding = not self._ends_with_connection
            if self.chunked_encoding:
                lines.append(b"transfer-encoding: chunked")
        head, breaks = b"\r\n".join(lines), len(lines) - 1
        if len(head) - len(head.translate(None, _CONTROLS)) != 2 * breaks:
            raise RuntimeError("a header with a line break or the like in it")
        return head + b"\r\n\r\n"

    def _heed(self, key: bytes, value: bytes) -> bool:
        """Do as a header says of the message itself; whether it says that the connection ends."""
        if key == b"content-length":
            if self.chunked_encoding is None:
                self.expected_content_length, self.chunked_encoding = int(value), False
        elif key == b"transfer-encoding":
            if value.lower() == b"chunked":
                self.expected_content_length, self.chunked_encoding = 0, True
        elif b"close" in [option.strip() for option in value.lower().split(b",")]:
            self.keep_alive = False
            return True
        return False

    def _is_bodiless(self, status: int) -> bool:
        return self.scope["method"] == "HEAD" or status in _NO_BODY

    def _go_on(self, body: bytes, *, more: bool) -> None:
        head, self._head = self._head, b""
        if self.scope["method"] == "HEAD":
            self.expected_content_length, body = 0, b""
        elif self.chunked_encoding:
            chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            body = chunk if more else chunk + b"0\r\n\r\n"
        elif not self._ends_with_connection:
            self.expected_content_length -= len(body)
            if self.expected_content_length < 0:
                raise RuntimeError("the body is longer than its Content-Length says")
        self.transport.write(b"".join((head, body)) if head else body)
        if more:
            return
        if self.expected_content_length:
            raise RuntimeError("the body is shorter than its Content-Length says")
        self.response_complete = True
        self.message_event.set()
        # No circle is left behind, for which the garbage collector would have to come.
        self.scope.pop("extensions", None)
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    @property
    def gone(self) -> bool:
        """Whether the client has gone; to ask `receive` costs as much as an attempt.

        The transport closes as soon as it has read the end, and tells the protocol a turn later.
        """
        return self.disconnected or self.transport.is_closing()

    def reset(self) -> None:
        """End the connection with a RST at once."""
        own: socket.socket | None = self.transport.get_extra_info("socket")
        if own is not None and not self.transport.is_closing():
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT_AT_ALL)
        self.transport.abort()
        self.leave()

    def close(self) -> None:
        """End the connection once what was sent has gone out."""
        if self._head and not self.transport.is_closing():
            self.transport.write(self._head)
        self.transport.close()
        self.leave()

    def leave(self) -> None:
        """The client has gone, or is to be taken for gone: nothing more is sent."""
        self.disconnected = True
        self.message_event.set()
