"""The bound of a request's head is the same however it comes; what is no request is answered."""

import asyncio
import json
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from target_service.limits import MAX_HEAD_BYTES
from target_service.protocol import BoundedHeadProtocol

BEGUN = b"GET /work HTTP/1.1\r\nhost: x\r\nx: "
POST = b"POST /work HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%b"
BODY = b"b" * 100_000


class Wire(asyncio.Transport):
    """The transport of one connection."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Remember it."""
        self.sent += bytes(data)

    def close(self) -> None:
        """Remember that."""
        self.closed = True

    def is_closing(self) -> bool:
        """Whether it was."""
        return self.closed

    def pause_reading(self) -> None:
        """It reads what it is given."""

    def resume_reading(self) -> None:
        """It never stopped."""


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    """Never begins: nobody gives it a turn."""


def answer(*pieces: bytes) -> bytes:
    """What comes at once when a connection has sent this: nothing for a request that is one."""

    async def receive() -> bytes:
        config = uvicorn.Config(_app, log_config=None)
        config.load()
        wire = Wire()
        protocol = BoundedHeadProtocol(config, ServerState(), {})
        protocol.connection_made(wire)
        for piece in pieces:
            if not wire.closed:
                protocol.data_received(piece)
        assert bool(wire.sent) is wire.closed
        protocol.connection_lost(None)
        for task in protocol.tasks:
            task.cancel()
        return wire.sent

    return asyncio.run(receive())


def head(size: int) -> bytes:
    """One of so many bytes."""
    return BEGUN + b"y" * (size - len(BEGUN) - 4) + b"\r\n\r\n"


def ways(size: int) -> Iterator[tuple[bytes, ...]]:
    """A head of so many bytes: whole, in pieces, behind another request, before a body."""
    whole = head(size)
    yield (whole,)
    yield (whole[:30_000], whole[30_000:])
    yield (whole[:-1], whole[-1:])
    yield tuple(whole[at : at + 999] for at in range(0, size, 999))
    yield (POST % (9, b"b" * 9) + whole,)
    yield (POST % (len(BODY), BODY) + whole[:60_000], whole[60_000:])
    yield (POST % (len(BODY), BODY[:-9]), BODY[-9:] + whole)


@pytest.mark.parametrize("number", range(7))
def test_a_head_has_the_length_that_is_allowed_or_is_refused(number: int) -> None:
    """To the byte."""
    allowed, longer = (list(ways(size))[number] for size in (MAX_HEAD_BYTES, MAX_HEAD_BYTES + 1))
    assert answer(*allowed) == b""
    assert answer(*longer).startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


def test_a_body_in_the_same_piece_is_no_part_of_a_head() -> None:
    """However long both are together, and what is behind it."""
    begun = BEGUN.replace(b"GET", b"POST") + b"y" * 60_000 + b"\r\n"
    request = begun + b"content-length: %d\r\n\r\n" % len(BODY) + BODY
    assert answer(request + BEGUN) == b""
    assert answer(request[:50_000], request[50_000:] + BEGUN, b"y\r\n\r\n") == b""


def test_a_long_path_is_as_much_of_a_head_as_a_header() -> None:
    """The request line counts."""
    rest = b" HTTP/1.1\r\nhost: x\r\n\r\n"
    path = b"GET /" + b"w" * (MAX_HEAD_BYTES - len(rest) - 5)
    assert answer(path + rest) == b""
    assert b" 431 " in answer(path + b"w" + rest)


@pytest.mark.parametrize(
    ("sent", "status", "error"),
    [
        (b"\x16\x03\x01\r\n", 400, "bad-request"),
        (b"GET /work HTTP/1.1\r\n\r\n", 400, "bad-request"),
        (b"GET /work HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n", 400, "bad-request"),
        (head(100_000), 431, "head-too-large"),
    ],
    ids=["no HTTP", "no host", "two hosts", "a long head"],
)
def test_what_no_app_sees_is_answered_in_the_shape_of_all_errors(
    sent: bytes, status: int, error: str
) -> None:
    """A client of the admin API reads one kind of error."""
    said, _, body = answer(sent).partition(b"\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-length: %d\r\n" % len(body) in said
    read = json.loads(body)
    assert read == {"error": error, "message": read["message"], "fields": []}
    assert ("Host" in read["message"]) is (b"GET" in sent and status == 400)
