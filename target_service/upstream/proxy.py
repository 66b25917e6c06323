"""An ASGI app that is somebody else's service: it forwards every request to an upstream."""

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Message, Receive, Scope, Send

from target_service.connection import connection_of
from target_service.passage import FAILED, JUST_READ
from target_service.upstream.client import UpstreamClient, UpstreamResponse
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind
from target_service.upstream.forwarded import (
    answer_headers,
    failure,
    request_headers,
    request_target,
)
from target_service.upstream.sweep import Sweep

TIMEOUT_S = 60.0
"""How long the upstream may neither take of a request's body nor begin to answer."""
WATCH_AFTER_S = 0.05
"""Most answers are there by then, and to watch for a client that goes costs as much as they do."""

_FRAMING = frozenset({b"content-length", b"transfer-encoding"})


class ClientGoneError(Exception):
    """The client has gone before its request was whole."""


class Upstream:
    """Forwards requests; what it must answer itself is 502 or 504, marked as failed."""

    def __init__(self, client: UpstreamClient, timeout_s: float = TIMEOUT_S) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self._sweep = Sweep(WATCH_AFTER_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            behind = self._client, self._sweep, self._timeout_s
            await _Exchange(*behind, scope, receive, send).run()
        elif scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._client.close()
            await send({"type": "lifespan.shutdown.complete"})
        else:  # the server's protocol hands WebSockets to a tunnel
            await send({"type": "websocket.close", "code": 1011})


class _Exchange:
    """One request on its way to the upstream, and its answer on the way back."""

    __slots__ = (
        "_client", "_gone", "_hurry", "_late", "_receive", "_scope", "_send", "_started", "_sweep",
        "_task", "_timeout_s", "_watcher",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913, PLR0917 - what stands behind, and the three of every ASGI call
        self,
        client: UpstreamClient,
        sweep: Sweep,
        timeout_s: float,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        self._client = client
        self._sweep = sweep
        self._timeout_s = timeout_s
        self._scope = scope
        self._receive = receive
        self._send = send
        self._started = self._gone = self._late = False
        self._task: asyncio.Task[None] | None = None
        self._hurry: asyncio.TimerHandle | None = None
        self._watcher: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Forward it."""
        self._task = asyncio.current_task()
        try:
            await self._forward()
        except asyncio.CancelledError:
            if self._task is None or not (self._gone or self._late) or self._task.uncancel():
                raise
            if self._late and not self._gone:
                detail = f"no answer in {self._timeout_s:g} s"
                await self._fail(UpstreamError(UpstreamErrorKind.TIMEOUT, detail))
        except UpstreamError as error:
            await self._fail(error)
        except ClientGoneError:
            pass
        finally:
            self._end_watch()

    async def _forward(self) -> None:
        scope = self._scope
        headers = request_headers(
            scope["headers"], (scope.get("client") or ("unknown",))[0], scope["scheme"]
        )
        body = await self._body()
        response = await self._client.send(
            scope["method"].encode(), request_target(scope), headers, body
        )
        try:
            self._be_patient()
            await self._answer(response)
        finally:
            response.close()

    async def _answer(self, response: UpstreamResponse) -> None:
        headers = answer_headers(response.status, response.headers)
        self._started = True
        await self._send(
            {"type": "http.response.start", "status": response.status, "headers": headers}
        )
        if not response.has_more_at_once:
            # The head is to go out now; servers of ASGI keep it until some of the body is sent.
            await self._send({"type": "http.response.body", "body": b"", "more_body": True})
        more = True
        while more:
            part = await response.next_part()
            more = not response.received
            if not more:
                self._end_watch()
            await self._send(
                {"type": "http.response.body", "body": part, "more_body": more, JUST_READ: True}
            )

    async def _fail(self, error: UpstreamError) -> None:
        self._end_watch()
        if self._started:
            # An answer that breaks off must look so. Any server closes what is not completed; ours
            # need not complain of it first.
            connection = connection_of(self._scope)
            if connection is not None and self._scope["http_version"] == "1.0":
                connection.reset()  # a close is how a body ends there
            elif connection is not None:
                connection.close()
            return
        status, body = failure(error)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ]
        await self._send(
            {"type": "http.response.start", "status": status, "headers": headers, FAILED: True}
        )
        await self._send({"type": "http.response.body", "body": body})

    # The request's body

    async def _body(self) -> bytes | AsyncIterator[bytes]:
        """All of it if it is there, else its parts as they come."""
        framed = expects = False
        for name, _ in self._scope["headers"]:
            framed = framed or name in _FRAMING
            expects = expects or name == b"expect"
        if not framed:
            self._watch_soon()
            return b""
        if expects:
            # To ask for the body is to give leave to send it, which is the upstream's to give.
            return self._parts(None)
        message = await self._next()
        if message.get("more_body", False):
            return self._parts(message)
        self._watch_soon()
        return bytes(message.get("body", b""))

    async def _parts(self, message: Message | None) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = message or await self._next()
            more = message.get("more_body", False)
            self._make_haste()
            if part := message.get("body", b""):
                yield part
            message = None
        if self._started:
            self._be_patient()  # its answer may take as long as it likes
        self._watch_soon()

    async def _next(self) -> Message:
        self._be_patient()
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._gone = True
            raise ClientGoneError
        return message

    # The time it takes, and the client that may go meanwhile

    def _make_haste(self) -> None:
        """From now on the upstream is waited for."""
        self._be_patient()
        loop = asyncio.get_running_loop()
        self._hurry = loop.call_later(self._timeout_s, self._too_late)

    def _be_patient(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _too_late(self) -> None:
        self._late = True
        self._stop()

    def _stop(self) -> None:
        if self._task is not None and not self._task.cancelling():
            self._task.cancel()

    def _watch_soon(self) -> None:
        self._sweep.add(self._watch)

    def _watch(self) -> None:
        if not self._started and self._hurry is None:
            self._make_haste()
        self._watcher = asyncio.create_task(self._until_gone())

    async def _until_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._stop()

    def _end_watch(self) -> None:
        self._be_patient()
        self._sweep.discard(self._watch)
        if self._watcher is not None:
            self._watcher.cancel()
