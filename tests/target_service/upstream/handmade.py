"""An upstream that fails, on request, in the way that the path names."""

import asyncio
import contextlib

from tests.target_service.upstream.raw import reset

OK = b"HTTP/1.1 200 OK\r\n"
PLAIN = OK + b"content-length: 0\r\n\r\n"

KEPT = {
    b"headers": (
        b"HTTP/1.1 299 Odd\r\nkeep-alive: timeout=9\r\nConnection: x-mine\r\n"
        b"x-mine: 1\r\nX-Kept: \xe9\r\nset-cookie: a\r\nset-cookie: b\r\n"
        b"upgrade: h2c\r\ndate: then\r\ncontent-length: 0\r\n\r\n"
    ),
    b"304-length": b"HTTP/1.1 304 Same\r\ncontent-length: 9\r\n\r\n",
    b"odd-status": b"HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nno",
    b"not-upgraded": b"HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nno",
    b"not-upgraded-in-chunks": (
        b"HTTP/1.1 403 No\r\nConnection: x-mine, keep-alive\r\nX-Mine: 1\r\nX-Kept: 1\r\n"
        b"Keep-Alive: timeout=9\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nno\r\n0\r\n\r\n"
    ),
}
"""What is said there; the connection goes on."""

CLOSED = {
    b"close": b"",
    b"garbage": b"SSH-2.0-OpenSSH\r\n",
    b"half-length": OK + b"content-length: 9\r\n\r\nhalf",
    b"half-chunked": OK + b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    b"until-close": OK + b"\r\nall",
    b"refuse-body": b"HTTP/1.1 417 No\r\ncontent-length: 0\r\n\r\n",
}
"""What is said there before the connection is closed."""

UPGRADED = (
    b"HTTP/1.1 103 Early\r\n\r\n"
    b"HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello"
)


class Handmade:
    """Does what the path says, and remembers the heads that came and how many have left."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.left = 0
        self.flooded = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        what = b""
        while what not in CLOSED:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            what = head.split(b" ")[1].strip(b"/")
            act = getattr(self, f"_{what.decode('ascii', 'replace').replace('-', '_')}", None)
            if act is not None:
                await act(reader, writer)
                return
            writer.write(CLOSED.get(what, KEPT.get(what, PLAIN)))

    async def _reset(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reset(writer)

    async def _hang(self, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()
        self.left += 1

    async def _head_alone(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"content-length: 2\r\n\r\n")
        await reader.read()
        self.left += 1

    async def _take_body(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert await reader.readexactly(3) == b"abc"
        writer.write(OK + b"connection: close\r\ncontent-length: 0\r\n\r\n")

    async def _early(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 413 Much\r\ncontent-length: 2\r\n\r\nno")
        await reader.read()

    async def _think(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                self.heads.append(await reader.read(1000))
        await self._upgraded(reader, writer)

    async def _upgraded(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(UPGRADED)
        while data := await reader.read(65_536):
            writer.write(data.upper())
            await writer.drain()
        self.left += 1

    async def _flood(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 101 Yes\r\n\r\n")
        self.flooded = 0
        while True:
            writer.write(bytes(65_536))
            await writer.drain()
            self.flooded += 65_536
