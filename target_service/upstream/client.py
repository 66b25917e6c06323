"""The HTTP/1.1 client under the proxy and the gateway: one send, one message on the wire.

It is our own because others send again by themselves: aiohttp repeats an idempotent request on
a reused connection that was closed, which would be a retry layer hidden below the ones that are
counted here. A kept connection that the upstream has closed is noticed before anything is sent on
it, and replaced; whatever happens after that is the outcome.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from target_service.upstream.address import Address
from target_service.upstream.answer import Answer
from target_service.upstream.connection import Connection
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind
from target_service.upstream.headers import Headers, RequestHead
from target_service.upstream.sweep import Sweep

MAX_IDLE_S = 4.0
"""Servers close what is idle for five seconds or more; what is sent just then would be lost."""

HEAD_ALONE_S = 0.005
"""How long the head of an answer waits for the beginning of its body."""


class UpstreamResponse:
    """The answer to one request: its head, and its body as it comes. Close it in any case."""

    __slots__ = ("_answer", "_client", "_connection", "_rest", "headers", "status")

    def __init__(self, client: "UpstreamClient", connection: Connection, answer: Answer) -> None:
        self.status = answer.status
        self.headers = answer.headers
        """Names in lower case, in the order they came, hop-by-hop ones too."""
        self._client = client
        self._connection: Connection | None = connection
        self._answer = answer
        self._rest = b""

    @property
    def received(self) -> bool:
        """Whether the whole of the answer has come and been taken."""
        return self._answer.complete and not self._answer.parts and not self._rest

    @property
    def has_more_at_once(self) -> bool:
        """Whether some of the body, or its end, is there already."""
        return bool(self._rest or self._answer.parts or self._answer.complete)

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The body as it comes, and no faster than it is taken. Raises `UpstreamError`."""
        return self

    async def __anext__(self) -> bytes:
        part = await self.next_part()
        if not part:
            raise StopAsyncIteration
        return part

    async def next_part(self) -> bytes:
        """What has come of the body, as soon as there is some; nothing at its end.

        Raises `UpstreamError` where it breaks off.
        """
        if self._rest:
            part, self._rest = self._rest, b""
            return part
        if self._connection is None:
            raise ValueError("the response is closed")
        return await self._connection.part(self._answer)

    async def read(self, limit: int) -> bytes:
        """The next `limit` bytes of the body, or all there are; `received` says whether it ended.

        What is over stays to be read. Raises `UpstreamError`.
        """
        parts, size = [], 0
        while size < limit and (part := await self.next_part()):
            parts.append(part)
            size += len(part)
        body = b"".join(parts)
        self._rest = body[limit:] + self._rest
        return body[:limit]

    def close(self) -> None:
        """Give the connection back if the answer has come whole, else close it."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.end(self._answer):
            self._client.keep(connection)


class UpstreamClient:
    """Sends requests to one upstream, over connections that are kept alive, from one event loop.

    It opens as many connections as there are exchanges at once.
    """

    def __init__(
        self,
        base_url: str,
        *,
        connect_timeout_s: float = 5.0,
        max_idle: int = 256,
        max_idle_s: float = MAX_IDLE_S,
    ) -> None:
        """`max_idle` connections are kept, none of them idle for longer than `max_idle_s`.

        Raises `ValueError` for what is no http or https URL.
        """
        self.address = Address(base_url, connect_timeout_s)
        self._max_idle = max_idle
        self._max_idle_s = max_idle_s
        self._idle: list[Connection] = []
        self._soon = Sweep(HEAD_ALONE_S)
        self._closed = False

    async def send(
        self,
        method: bytes,
        target: bytes,
        headers: Headers,
        body: bytes | AsyncIterator[bytes],
        timeout_s: float | None = None,
    ) -> UpstreamResponse:
        """Send one request, once, and return when the head of its answer is there.

        `target` is what stands after the method, path and query, as it is to be sent. A body that
        comes in parts is sent as they come, also after this has returned, with the Content-Length
        that `headers` say or else chunked. Where the answer comes before all is sent, closing it
        ends the sending. Connecting and the wait for the head take `timeout_s` at most.

        Raises `UpstreamError`, what `body` raises, and `ValueError` for what cannot be sent.
        """
        whole = body if isinstance(body, bytes) else None
        if target.startswith(b"/"):  # `OPTIONS *` asks of the whole server
            target = self.address.prefix + target
        head = RequestHead(method, target, self.address.netloc, headers, whole)
        if timeout_s is None:
            connection = self._kept() or await self.address.open(self._new)
            return await self._exchange(connection, Answer(method), head, body)
        stage = UpstreamErrorKind.CONNECT_TIMEOUT
        try:
            async with asyncio.timeout(timeout_s) as bound:
                connection = self._kept() or await self.address.open(self._new)
                stage = UpstreamErrorKind.TIMEOUT
                return await self._exchange(connection, Answer(method), head, body)
        except TimeoutError:
            if not bound.expired():
                raise
            raise UpstreamError(stage, f"no answer in {timeout_s:g} s") from None

    async def close(self) -> None:
        """Close the idle connections now, and the others when their exchanges are over."""
        self._closed = True
        while self._idle:
            self._idle.pop().abort()

    def keep(self, connection: Connection) -> None:
        """Take back a connection that can serve another exchange."""
        if self._closed or len(self._idle) >= self._max_idle:
            connection.abort()
            return
        connection.idle_since_s = asyncio.get_running_loop().time()
        self._idle.append(connection)

    async def _exchange(
        self,
        connection: Connection,
        answer: Answer,
        head: RequestHead,
        body: bytes | AsyncIterator[bytes],
    ) -> UpstreamResponse:
        try:
            connection.begin(answer, head, body)
            await connection.head(answer)
        except BaseException:
            connection.abort()
            connection.end(answer)
            raise
        return UpstreamResponse(self, connection, answer)

    def _kept(self) -> Connection | None:
        """The one that was used last, if the upstream still has it open."""
        if self._idle:
            oldest_s = asyncio.get_running_loop().time() - self._max_idle_s
            while self._idle:
                connection = self._idle.pop()
                if connection.idle_since_s >= oldest_s and connection.is_fresh():
                    return connection
                connection.abort()
        return None

    def _new(self) -> Connection:
        return Connection(self._forget, self._soon)

    def _forget(self, connection: Connection) -> None:
        """An idle connection has ended."""
        with contextlib.suppress(ValueError):
            self._idle.remove(connection)
