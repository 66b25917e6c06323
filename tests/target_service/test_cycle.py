"""What goes out on the wire is what uvicorn would send, in fewer pieces."""

import asyncio
import contextlib
import gc
import http.client
import logging
import time
import weakref
from typing import cast

import pytest
from starlette.types import Message
from uvicorn._types import ASGISendEvent, HTTPScope
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from target_service.connection import EXTENSION, connection_of
from target_service.cycle import Cycle
from tests.real import eventually
from tests.target_service.asgi import http_scope, run
from tests.target_service.live import LIMIT_S, live_target

Headers = list[tuple[bytes, bytes]]

_LOG = logging.getLogger("nobody")
_LENGTH = (b"Content-Length", b"2")
_IMPATIENT = (
    "from target_service import server\n"
    "server._KEEP_ALIVE_S = 1\n"
    "import typer\n"
    "from target_service.protocol import BoundedHeadProtocol\n"
    "BoundedHeadProtocol.patience_s = 0.4\n"
    "from target_service.cli import serve\n"
    "typer.run(serve)\n"
)
"""The target, but with a second for idle connections."""


class Wire:
    """The transport of one connection."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        """Remember it; nothing is nothing."""
        if data:
            self.sent.append(bytes(data))

    def close(self) -> None:
        """Remember that."""
        self.closed = True

    def is_closing(self) -> bool:
        """Whether it was."""
        return self.closed


def cycle_of(
    kind: type[RequestResponseCycle], wire: Wire, method: str = "GET", keep_alive: bool = True
) -> RequestResponseCycle:
    """A request that has come on this connection."""
    transport = cast("asyncio.Transport", wire)
    scope = http_scope(method, "/", {}, "127.0.0.1")
    cycle = kind(
        cast("HTTPScope", scope),
        transport,
        FlowControl(transport),
        _LOG,
        _LOG,
        access_log=False,
        default_headers=[(b"date", b"now")],
        message_event=asyncio.Event(),
        expect_100_continue=False,
        keep_alive=keep_alive,
        on_response=lambda: None,
    )
    scope["extensions"] = {EXTENSION: cycle}
    return cycle


def answer(status: int, headers: Headers, *parts: bytes) -> list[Message]:
    """As an app sends it."""
    start: Message = {"type": "http.response.start", "status": status, "headers": headers}
    last = len(parts)
    return [start] + [
        {"type": "http.response.body", "body": part, "more_body": number < last}
        for number, part in enumerate(parts, 1)
    ]


def sent(
    kind: type[RequestResponseCycle], messages: list[Message], *how: str | bool
) -> tuple[list[bytes], bool]:
    """What goes out for it, and whether the connection is closed then."""

    async def main() -> Wire:
        wire = Wire()
        cycle = cycle_of(kind, wire, *how)  # type: ignore[arg-type]
        for message in messages:
            await cycle.send(cast("ASGISendEvent", message))
        assert cycle.response_complete
        return wire

    wire = run(main)
    return wire.sent, wire.closed


@pytest.mark.parametrize("keep_alive", [True, False])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "messages",
    [
        answer(200, [_LENGTH, (b"X-A", b"\xe9 b")], b"ab"),
        answer(200, [_LENGTH], b"a", b"b"),
        answer(200, [_LENGTH, (b"connection", b"x, Close")], b"ab"),
        answer(503, [], b"a", b"", b"b"),
        answer(599, [], b""),
        answer(200, [(b"transfer-encoding", b"Chunked"), _LENGTH], b"a", b""),
        answer(200, [(b"content-length", b"0")], b""),
        answer(204, [], b""),
        answer(304, [(b"etag", b'"a"')], b""),
    ],
)
def test_it_is_what_uvicorn_sends(messages: list[Message], method: str, keep_alive: bool) -> None:
    """Byte by byte, and the head is no write of its own."""
    theirs, they_close = sent(RequestResponseCycle, messages, method, keep_alive)
    ours, we_close = sent(Cycle, messages, method, keep_alive)
    assert (b"".join(ours), we_close) == (b"".join(theirs), they_close)
    assert len(ours) == max(1, len(theirs) - 1)


def test_http_1_0_gets_no_chunks() -> None:
    """It knows of none: what has no length ends with its connection (RFC 9112, 6.1)."""

    async def main() -> tuple[bytes, bool]:
        wire = Wire()
        cycle = cycle_of(Cycle, wire, keep_alive=False)
        cycle.scope["http_version"] = "1.0"
        for message in answer(200, [], b"a", b"", b"b"):
            await cycle.send(cast("ASGISendEvent", message))
        return b"".join(wire.sent), wire.closed

    head = b"HTTP/1.1 200 OK\r\ndate: now\r\nconnection: close\r\n\r\n"
    assert run(main) == (head + b"ab", True)


@pytest.mark.parametrize(
    "messages",
    [
        answer(200, [(b"x", b"a\r\nx: b")], b""),
        answer(200, [(b"x", b"a\nb")], b""),
        answer(200, [(b"x\r", b"b")], b""),
        answer(200, [(b"x", b"\0")], b""),
        answer(200, [_LENGTH], b"abc"),
        answer(200, [_LENGTH], b"a"),
        answer(200, [_LENGTH], b"ab", b"")[1:],
        answer(200, [_LENGTH], b"ab") * 2,
    ],
)
def test_what_cannot_be_sent_is_an_error(messages: list[Message]) -> None:
    """As it is with uvicorn."""
    for kind in (RequestResponseCycle, Cycle):
        with pytest.raises(RuntimeError):
            sent(kind, messages)


def test_to_close_sends_what_is_promised() -> None:
    """An answer that is cut short has its head; then the client counts as gone."""

    async def main() -> tuple[bytes, bool, bool]:
        wire = Wire()
        cycle = cycle_of(Cycle, wire)
        assert isinstance(cycle, Cycle)
        await cycle.send(answer(200, [_LENGTH])[0])
        assert wire.sent == []
        cycle.close()
        await cycle.send({"type": "http.response.body", "body": b"ab"})
        return b"".join(wire.sent), wire.closed, cycle.gone

    head = b"HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 2\r\n\r\n"
    assert run(main) == (head, True, True)


def test_who_has_hung_up_is_gone_before_the_protocol_is_told() -> None:
    """What would be sent now reaches nobody: the transport has read the end already."""

    async def main() -> tuple[bool, bool]:
        wire = Wire()
        cycle = cast("Cycle", cycle_of(Cycle, wire))
        before = cycle.gone
        wire.close()
        return before, cycle.gone

    assert run(main) == (False, True)


def test_an_answered_request_leaves_nothing_to_the_garbage_collector() -> None:
    """Though its scope leads to it while it is answered."""

    async def main() -> weakref.ref[Cycle]:
        cycle = cast("Cycle", cycle_of(Cycle, Wire()))
        assert connection_of(cast("dict[str, object]", cycle.scope)) is cycle
        for message in answer(200, [_LENGTH], b"ab"):
            await cycle.send(message)
        return weakref.ref(cycle)

    gc.disable()
    try:
        assert run(main)() is None
    finally:
        gc.enable()


@pytest.mark.live
def test_an_idle_connection_is_closed_when_its_time_is_over() -> None:
    """Not before, though nobody set an alarm for it."""
    with live_target(program=_IMPATIENT) as target:
        open_s = eventually(lambda: open_for_s(target.port), "two requests on one connection")
    assert open_s >= 0.99


def open_for_s(port: int) -> float | None:
    """How long a connection stays open after its second request; none that was late ourselves."""
    made = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    begun_s = time.monotonic()
    with contextlib.closing(made):
        made.request("GET", "/healthz")
        assert made.getresponse().read()
        time.sleep(0.3)
        before_s = time.monotonic()
        try:
            made.request("GET", "/healthz")
            assert made.getresponse().read()
        except ConnectionError:
            if time.monotonic() - begun_s < 1.0:
                raise
            return None
        assert made.sock.recv(1) == b""
        return time.monotonic() - before_s
