"""A service of plain sockets, that sends and takes large bodies and sees its callers go."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LARGE = 128 << 20
PIECE = b"x" * 65_536
HEAD = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
"""Each connection serves one request: who would use it again must know, or it meets a reset."""


@dataclass
class Raw:
    """What it has seen: requests, bytes sent and taken of bodies, callers that went away."""

    port: int = 0
    requests: int = 0
    sent: int = 0
    taken: int = 0
    gone: threading.Event = field(default_factory=threading.Event)

    def forget(self) -> None:
        """Begin to count anew."""
        self.requests = self.sent = self.taken = 0
        self.gone.clear()

    def answer(self, connection: socket.socket) -> None:
        """One request by its path: `/large` sends a body, `/cut` half of it, `/hang` nothing.

        Others take one.
        """
        with connection, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65_536)
            self.requests += 1
            head, _, body = data.partition(b"\r\n\r\n")
            path = head.split(b" ")[1]
            if path == b"/large":
                self._send(connection)
            elif path == b"/cut":
                connection.sendall(HEAD % LARGE + b"half")
            elif path == b"/hang":
                self._await_end(connection)
            else:
                self._take(connection, head, body)

    def _send(self, connection: socket.socket) -> None:
        connection.sendall(HEAD % LARGE)
        try:
            while self.sent < LARGE:
                connection.sendall(PIECE)
                self.sent += len(PIECE)
        except OSError:
            self.gone.set()

    def _await_end(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while connection.recv(65_536):
                pass
        self.gone.set()

    def _take(self, connection: socket.socket, head: bytes, body: bytes) -> None:
        """Bodies in chunks; how they are framed is none of its business, but for the end."""
        end = b"0\r\n\r\n" if b"chunked" in head.lower() else b""
        self.taken += len(body)
        last = body[-5:]
        while end and last != end:
            data = connection.recv(1 << 20)
            if not data:
                self.gone.set()
                return
            self.taken += len(data)
            last = (last + data[-5:])[-5:]
        connection.sendall(HEAD % 2 + b"ok")


@contextmanager
def raw() -> Iterator[Raw]:
    """It, on a free port, in threads."""
    seen = Raw()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        seen.port = int(listener.getsockname()[1])

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=seen.answer, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield seen
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5.0)
