"""One request is one message on the wire, whatever becomes of it."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from loadtests.audit.answer import End
from loadtests.audit.sending import EntrySender
from loadtests.processes import free_port

pytestmark = pytest.mark.live

Play = Callable[[socket.socket], None]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"


def saying(*parts: bytes) -> Play:
    """Say these and close."""

    def play(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)

    return play


def resets(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def hangs(connection: socket.socket) -> None:
    connection.settimeout(10)
    connection.recv(1)  # until the client goes


def stalls(connection: socket.socket) -> None:
    connection.sendall(OK)
    hangs(connection)


def drips(connection: socket.socket) -> None:
    """A byte now and then: no wait for a single one of them is long."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
    for _ in range(200):
        connection.sendall(b"y")
        time.sleep(0.05)


class Server:
    """Plays the same to every client, and keeps what each said."""

    def __init__(self, play: Play) -> None:
        self.heard: list[bytes] = []
        self._play = play
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                said = b""
                while b"\r\n\r\n" not in said:
                    if not (more := connection.recv(65536)):
                        return
                    said += more
                self.heard.append(said)
                try:
                    self._play(connection)
                except OSError:
                    continue  # the client has gone

    def stop(self) -> None:
        """A client that says nothing ends it."""
        socket.create_connection(self._listener.getsockname()).close()
        self._thread.join(10)
        self._listener.close()


@contextmanager
def serving(play: Play) -> Iterator[Server]:
    """A server that plays this."""
    server = Server(play)
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("play", "end", "status"),
    [
        (saying(OK + b"done"), End.ANSWERED, 200),
        (saying(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), End.ANSWERED, 503),
        (saying(b"HTTP/1.0 200 OK\r\n\r\ntill the end"), End.ANSWERED, 200),
        (
            saying(b"HTTP/1.1 302 Go\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n"),
            End.ANSWERED,
            302,
        ),
        (saying(OK + b"do"), End.CUT_SHORT, 200),
        (saying(), End.CLOSED, None),
        (resets, End.RESET, None),
        (hangs, End.TIMED_OUT, None),
        (drips, End.TIMED_OUT, None),
        (stalls, End.TIMED_OUT, 200),
        (saying(b"220 mail.example ESMTP\r\n"), End.NOT_HTTP, None),
    ],
    ids=["served", "503", "no length", "redirect", "cut", "closed", "reset", "hang", "drip",
         "hang in the body", "not HTTP"],
)  # fmt: skip
def test_every_end_is_told_and_nothing_is_sent_again(
    play: Play, end: End, status: int | None
) -> None:
    """Not after a reset or a close, not to where a redirect leads, and never late."""
    timeout_s = 0.5 if end is End.TIMED_OUT else 20.0
    with serving(play) as server:
        answer = EntrySender(server.url, "/work", timeout_s).send("GET", {"X-Mark": "m"})
    assert (answer.end, answer.status) == (end, status)
    assert len(server.heard) == 1
    assert answer.elapsed_s < 5


def test_what_is_sent_is_plain() -> None:
    """The path below the entry's own, the headers, a small body with POST."""
    with serving(saying(OK + b"done")) as server:
        sender = EntrySender(f"{server.url}/api/", "/work?a=1", 5)
        sender.send("GET", {"X-Mark": "m", "Host": "other.example"})
        sender.send("POST", {})
    get, post = (said.decode() for said in server.heard)
    assert get.startswith("GET /api/work?a=1 HTTP/1.1\r\n")
    assert "X-Mark: m\r\n" in get
    assert get.count("Host: ") == 1
    assert "Host: other.example\r\n" in get
    assert post.startswith("POST /api/work?a=1 HTTP/1.1\r\n")
    assert "Content-Length: 15\r\n" in post
    assert post.endswith('\r\n\r\n{"audit": true}')  # in one piece with its head


def test_nobody_there() -> None:
    """And why."""
    answer = EntrySender(f"http://127.0.0.1:{free_port()}", "/", 5).send("GET", {})
    assert (answer.end, answer.status) == (End.REFUSED, None)
    assert "refused" in answer.problem
    answer = EntrySender("http://no-such-host.invalid", "/", 5).send("GET", {})
    assert answer.end is End.UNREACHABLE


@pytest.mark.parametrize("path", ["work", "/a b", "/a\r\nx: y", "/ä", ""])
def test_what_is_no_path_is_refused(path: str) -> None:
    """It would be sent as it is."""
    with pytest.raises(ValueError, match="path: "):
        EntrySender("http://127.0.0.1:1", path, 1)
