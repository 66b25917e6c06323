"""Calls an ASGI app in this process, with no server and no socket."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Scope

Value = TypeVar("Value")
Headers = dict[str, str]


@dataclass
class Response:
    """What came back."""

    status: int = 0
    headers: Headers = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class FakeClock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def http_scope(method: str, path: str, headers: Headers, client: str) -> Scope:
    """The scope of a call."""
    path, _, query = path.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": (client, 50_000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


async def acall(
    app: ASGIApp,
    method: str,
    path: str,
    body: bytes | object = b"",
    *,
    headers: Headers | None = None,
    client: str = "127.0.0.1",
    chunks: int = 1,
) -> Response:
    """Make one call; a body that is not bytes is sent as JSON."""
    sent = {"host": "127.0.0.1:8000", **(headers or {})}
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent.setdefault("content-type", "application/json")
    size = -(-len(body) // chunks) or 1
    parts = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
    incoming: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(parts)}
        for number, part in enumerate(parts, 1)
    ]
    response = Response()

    async def receive() -> Message:
        if incoming:
            return incoming.pop(0)
        await asyncio.Event().wait()  # the client waits for its answer
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            response.status = message["status"]
            response.headers = {n.decode(): v.decode() for n, v in message["headers"]}
        else:
            response.body += message.get("body", b"")

    await app(http_scope(method, path, sent, client), receive, send)
    return response


def call(app: ASGIApp, method: str, path: str, body: bytes | object = b"", **how: Any) -> Response:
    """Make one call and wait for the answer, ten seconds at most."""
    return run(lambda: acall(app, method, path, body, **how))


def run(
    main: Callable[[], Awaitable[Value]],
    limit_s: float = 10.0,
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Value:
    """Run a coroutine, so long at most."""

    async def bounded() -> Value:
        async with asyncio.timeout(limit_s):
            return await main()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(bounded())


def answering(parts: Sequence[bytes]) -> ASGIApp:
    """An app that answers 200 in these parts."""

    async def app(_scope: Scope, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number, part in enumerate(parts, 1):
            more = number < len(parts)
            await send({"type": "http.response.body", "body": part, "more_body": more})

    return app
