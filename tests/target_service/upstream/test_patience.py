"""How long the proxy waits for whom, with the times made short."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from starlette.types import Message

from target_service.passage import FAILED
from target_service.upstream import UpstreamClient
from target_service.upstream.proxy import Upstream
from tests.target_service.asgi import http_scope
from tests.target_service.upstream.raw import Act, raw, run

pytestmark = pytest.mark.live

TIMEOUT_S = 0.3
HEAD = b"HTTP/1.1 200 OK\r\n"


@dataclass
class Exchange:
    """What the client is sent."""

    messages: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        """Of the server."""
        self.messages.append(message)

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(message.get("body", b"") for message in self.messages)


async def forwarded(act: Act, parts: AsyncIterator[bytes] | None = None) -> Exchange:
    """One request through a proxy with little patience to an upstream that does `act`."""
    exchange, whole = Exchange(), parts is None

    async def receive() -> Message:
        nonlocal whole
        if whole or parts is None:
            await asyncio.Event().wait()  # the client waits for its answer
            raise AssertionError
        async for part in parts:
            return {"type": "http.request", "body": part, "more_body": True}
        whole = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async with raw(act) as upstream:
        client = UpstreamClient(upstream.url)
        headers = {"transfer-encoding": "chunked"} if parts is not None else {}
        scope = http_scope("POST", "/", headers, "127.0.0.1")
        await Upstream(client, TIMEOUT_S)(scope, receive, exchange.send)
        await client.close()
    return exchange


def assert_late(exchange: Exchange) -> None:
    """A 504 of the proxy's own, and marked as one."""
    start = exchange.messages[0]
    assert (start["status"], start[FAILED]) == (504, True)
    assert json.loads(exchange.body)["error"] == "upstream-timeout"


async def _silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def _deaf(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield bytes(65_536)
        await asyncio.sleep(0)


def test_an_upstream_that_does_not_answer_is_given_up() -> None:
    """And one that stops to read the body."""
    assert_late(run(lambda: forwarded(_silent)))
    assert_late(run(lambda: forwarded(_deaf, _endless())))


def test_a_slow_client_is_not_the_upstreams_fault() -> None:
    """It may take longer than the upstream may, as long as it sends."""

    async def slow() -> AsyncIterator[bytes]:
        for _ in range(2):
            yield b"a"
            await asyncio.sleep(1.5 * TIMEOUT_S)

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.write(HEAD + b"content-length: 2\r\n\r\nok")

    exchange = run(lambda: forwarded(act, slow()))
    assert exchange.messages[0]["status"] == 200
    assert exchange.body == b"ok"


@pytest.mark.parametrize("early", [False, True])
def test_an_answer_that_has_begun_may_last(early: bool) -> None:
    """Also one that began before the body was whole."""
    go = asyncio.Event()

    async def parts() -> AsyncIterator[bytes]:
        yield b"a"
        await go.wait()
        yield b"b"

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"content-length: 4\r\n\r\n")
        await asyncio.sleep(TIMEOUT_S / 2)
        go.set()
        for _ in range(4):
            await asyncio.sleep(TIMEOUT_S / 2)
            writer.write(b"x")
        await reader.read(1)

    exchange = run(lambda: forwarded(act, parts() if early else None))
    assert exchange.messages[0]["status"] == 200
    assert exchange.body == b"xxxx"
    assert exchange.messages[-1]["more_body"] is False


def test_who_cancels_the_app_is_obeyed() -> None:
    """It is no hang-up of the client's, and no time that is up."""

    async def main() -> None:
        working = asyncio.create_task(forwarded(_silent))
        await asyncio.sleep(0.1)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working

    run(main)
