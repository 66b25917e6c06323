"""The body of a request: kept to be sent again if it is small, else streamed once."""

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Receive

KEPT_BYTES = 1 << 20
"""The largest body that is kept for retries."""
KEPT_AT_ONCE_BYTES = 64 << 20
"""Of all requests together; what goes beyond is streamed as a larger one is."""


class ClientGoneError(Exception):
    """The client went away before its request was complete."""


class Store:
    """How much is kept at once, by all requests."""

    def __init__(self, most: int = KEPT_AT_ONCE_BYTES) -> None:
        self._left = most

    def take(self, size: int) -> bool:
        """Make room for `size` bytes; False when there is none."""
        if size > self._left:
            return False
        self._left -= size
        return True

    def give_back(self, size: int) -> None:
        """They are kept no more."""
        self._left += size


class StreamedBody:
    """A body that can be had once: what was read of it already, and then the rest as it comes."""

    def __init__(self, client: "Client", first: bytes) -> None:
        self._client = client
        self._first = first
        self.begun = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Its pieces, from the first."""
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self.begun:
            raise RuntimeError("a body that is streamed cannot be sent twice")
        self.begun = True
        yield self._first
        self._first = b""
        while (piece := await self._client.next_piece()) is not None:
            if piece:
                yield piece


class Client:
    """The caller of one request: its body, and whether it is still there."""

    def __init__(self, receive: Receive, store: Store, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._receive = receive
        self._store = store
        self._kept_bytes = kept_bytes
        self._taken = 0
        self._all_read = asyncio.Event()
        self._gone = False

    async def body(self) -> bytes | StreamedBody:
        """All of the body, or one to stream as soon as it is known to be too large to keep.

        Raises `ClientGoneError`.
        """
        pieces: list[bytes] = []
        while (piece := await self.next_piece()) is not None:
            pieces.append(piece)
            size = self._taken + len(piece)
            if size > self._kept_bytes or not self._store.take(len(piece)):
                return StreamedBody(self, b"".join(pieces))
            self._taken = size
        return b"".join(pieces)

    async def next_piece(self) -> bytes | None:
        """The next of the body, None after the last. Raises `ClientGoneError`."""
        if self._gone:
            raise ClientGoneError
        if self._all_read.is_set():
            return None
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._gone = True
            self._all_read.set()
            raise ClientGoneError
        if not message.get("more_body", False):
            self._all_read.set()
        piece: bytes = message.get("body", b"")
        return piece

    async def leaves(self) -> None:
        """Return when the client has gone, or has got the last of its answer.

        While its body is still to be read, whoever reads it finds out.
        """
        await self._all_read.wait()
        while not self._gone:
            message = await self._receive()
            self._gone = message["type"] == "http.disconnect"

    def close(self) -> None:
        """What was kept of it is not needed any more."""
        self._store.give_back(self._taken)
        self._taken = 0
