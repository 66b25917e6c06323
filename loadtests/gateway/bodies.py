"""The body of a request: kept to be sent again if it is small, else streamed once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.types import Receive

KEPT_BYTES = 1 << 20
"""The largest body that is kept for retries."""
KEPT_AT_ONCE_BYTES = 64 << 20
"""Of all requests together; what goes beyond is streamed as a larger one is."""

WATCH_AFTER_S = 0.02
"""Most requests are over by then, and to watch for a client that goes costs as much as they do."""


OnTurn = Callable[[bool], None]
"""Is told True as the next piece is awaited from the client, and False as it has come: then it is
upstream's turn to take it."""


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
        self._on_turn: OnTurn | None = None
        self.begun = False

    async def pieces(self, on_turn: OnTurn) -> AsyncIterator[bytes]:
        """All of it. `on_turn` is told whenever the turn changes, until `is_answered`."""
        if self.begun:
            raise RuntimeError("a body that is streamed cannot be sent twice")
        self.begun = True
        self._on_turn = on_turn
        yield self._first
        self._first = b""
        while (piece := await self._next_piece()) is not None:
            if piece:
                yield piece

    async def _next_piece(self) -> bytes | None:
        self._tell(clients=True)
        piece = await self._client.next_piece()
        self._tell(clients=False)
        return piece

    def _tell(self, *, clients: bool) -> None:
        if self._on_turn is not None:
            self._on_turn(clients)

    def is_answered(self) -> None:
        """Nobody waits for it any more, though all of it may still be sent."""
        self._on_turn = None


class Client:
    """The caller of one request: its body, and whether it is still there."""

    def __init__(self, receive: Receive, store: Store, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._receive = receive
        self._store = store
        self._kept_bytes = kept_bytes
        self._taken = 0
        self._all_read = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._gone = self._has_cancelled = False

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

    @asynccontextmanager
    async def there(self) -> AsyncIterator[None]:
        """Cancel what is within, and raise `ClientGoneError`, when the client goes away."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - this is a coroutine
        watch_at = asyncio.get_running_loop().call_later(WATCH_AFTER_S, self._watch, task)
        try:
            yield
        except asyncio.CancelledError:
            # Somebody else may have cancelled it too, and that goes on.
            if self._has_cancelled and not task.uncancel():
                raise ClientGoneError from None
            raise
        finally:
            watch_at.cancel()
            if self._watcher is not None:
                self._watcher.cancel()

    def _watch(self, task: asyncio.Task[object]) -> None:
        self._watcher = asyncio.create_task(self._cancel_when_gone(task))

    async def _cancel_when_gone(self, task: asyncio.Task[object]) -> None:
        """While its body is still to be read, whoever reads it finds out."""
        await self._all_read.wait()
        while not self._gone:
            message = await self._receive()
            self._gone = message["type"] == "http.disconnect"
        self._has_cancelled = task.cancel()

    def close(self) -> None:
        """What was kept of it is not needed any more."""
        self._store.give_back(self._taken)
        self._taken = 0
