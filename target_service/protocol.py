"""HTTP with a bounded head: bodies are the app's to bound, what comes before is the server's."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 * 1024

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


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

    def on_message_complete(self) -> None:
        """The next bytes begin another head."""
        self._in_head, self._head_bytes = True, 0
        super().on_message_complete()
