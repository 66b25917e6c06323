"""Trailers, behind a chunked body: no headers, whenever they come, and bounded."""

import socket
from collections.abc import Iterator

import pytest

from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.raw import seen_on

pytestmark = pytest.mark.live

HEAD = (
    b"POST /work HTTP/1.1\r\nHost: a\r\nX-Aftershock-Lane: said-in-the-head\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)
BODY = b"3\r\nabc\r\n"
TRAILERS = b"0\r\nX-Aftershock-Lane: said-in-a-trailer\r\n\r\n"


@pytest.fixture(scope="module")
def target() -> Iterator[LiveTarget]:
    """One for all, slow enough that an attempt is still in the queue when its trailers come."""
    with live_target("--workers", "1", "--service-time", "300ms") as running:
        yield running


@pytest.mark.parametrize("pieces", [[HEAD + BODY + TRAILERS], [HEAD, BODY, TRAILERS]])
def test_a_trailer_is_no_header(target: LiveTarget, pieces: list[bytes]) -> None:
    """In one piece with the rest as well as behind it."""
    connection = socket.create_connection(("127.0.0.1", target.port), LIMIT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for piece in pieces:
        connection.sendall(piece)
    assert seen_on(connection).status == 200
    seen = seen_on(_asking(target.port, "/admin/state"))
    assert b"said-in-the-head" in seen.body
    assert b"said-in-a-trailer" not in seen.body


def test_trailers_without_end_end_the_connection(target: LiveTarget) -> None:
    """Also one that is a single line: the parser would keep all of it."""
    for line in (b"X-Much: " + b"x" * 1000 + b"\r\n", b"x" * 1000):
        connection = socket.create_connection(("127.0.0.1", target.port), LIMIT_S)
        with connection:
            connection.sendall(HEAD + BODY + b"0\r\nX-First: ")
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                connection.sendall(line * 100_000)


def _asking(port: int, path: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), LIMIT_S)
    connection.sendall(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    )
    return connection
