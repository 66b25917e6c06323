"""A server that answers what it is told to: for what a real target does not do."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def http_answer(status: int, body: bytes, *, close: bool = False) -> bytes:
    """A whole answer; the connection stays open unless `close`."""
    connection = b"Connection: close\r\n" if close else b""
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n%b\r\n%b" % (
        status,
        len(body),
        connection,
        body,
    )


def _whole_request(connection: socket.socket) -> bytes:
    """Head and body, which may come one after the other; what there is where it breaks off."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if end and len(body) >= (int(length[1]) if length else 0):
            return data
        more = connection.recv(65_536)
        if not more:
            return data
        data += more


class Stub:
    """Takes connections one after the other; `script[n]` is what connection n is answered.

    Each answer is sent for one request; after the last the connection is closed.
    """

    def __init__(self, script: list[list[bytes]]) -> None:
        self.requests: list[bytes] = []
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(20)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        for answers in self._script:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(20)
                for answer in answers:
                    request = _whole_request(connection)
                    if not request:
                        break
                    self.requests.append(request)
                    connection.sendall(answer)

    @contextmanager
    def running(self) -> Iterator["Stub"]:
        """Serve while the block lasts."""
        self._thread.start()
        try:
            yield self
        finally:
            # A shutdown wakes the accept that may still be waiting.
            self._listener.shutdown(socket.SHUT_RDWR)
            self._thread.join(20)
            self._listener.close()
