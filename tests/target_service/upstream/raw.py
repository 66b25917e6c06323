"""Upstreams made by hand: they say and do exactly what a test wants, and remember what came."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import uvloop

from tests.target_service import asgi

Value = TypeVar("Value")
Act = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

LIMIT_S = 15.0


def run(main: Callable[[], Awaitable[Value]]) -> Value:
    """Run a coroutine on the loop that the target is served by, within the limit."""
    return asgi.run(main, LIMIT_S, uvloop.new_event_loop)


@dataclass
class Raw:
    """Where it listens, and the heads of the requests that came, by connection."""

    url: str
    connections: list[list[bytes]] = field(default_factory=list)
    ended: int = 0

    @property
    def requests(self) -> list[bytes]:
        """All heads."""
        return [head for connection in self.connections for head in connection]


@contextlib.asynccontextmanager
async def raw(act: Act, port: int = 0) -> AsyncIterator[Raw]:
    """A server that calls `act` for each connection and then closes it; a free port unless said."""
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await act(reader, writer)
        upstream.ended += 1
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", port)
    upstream = Raw(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    try:
        yield upstream
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()


@contextlib.asynccontextmanager
async def answering(*answers: bytes, close: bool = False) -> AsyncIterator[Raw]:
    """A server that answers the requests on a connection with these, then the last for ever."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads: list[bytes] = []
        upstream.connections.append(heads)
        while True:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answers[min(len(heads), len(answers)) - 1])
            await writer.drain()
            if close:
                return

    async with raw(act) as upstream:
        yield upstream


def reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset in place of an orderly end."""
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def eventually(look: Callable[[], bool], what: str) -> None:
    """Wait until it is so; the limit of the test bounds it."""
    try:
        while not look():
            await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        raise AssertionError(f"not in time: {what}") from None
