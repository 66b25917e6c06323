"""The gate: an ASGI layer that turns attempts away when a lane is at capacity.

It stands outside everything else, because an overloaded service must not pay for what it refuses:
a turned-away attempt costs a look at its headers and two ready-made messages.
"""

import asyncio
import json
from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service.lanes import LANE_LIMIT, BadLaneNameError, Lane, TooManyLanesError
from target_service.limits import MAX_ATTEMPT
from target_service.paths import path_below_mount
from target_service.target import Target
from target_service.ticker import Clock, clock_from_now, keep_ticking

OWNED = (b"x-aftershock-error-owned", b"true")
"""The error arose here and nowhere below: callers who heed ownership retry only such errors."""

OPEN_PATHS = ("/admin", "/metrics", "/healthz", "/openapi.json")
"""Never behind the gate, with all below them: a storm must not keep anybody from ending it."""

DEFAULT_LANE = b"default"
LANE_HEADER = b"x-aftershock-lane"
ATTEMPT_HEADER = b"x-aftershock-attempt"
ENVOY_HEADER = b"x-envoy-attempt-count"
GRPC_HEADER = b"grpc-previous-rpc-attempts"

_BELOW_OPEN = tuple(f"{path}/" for path in OPEN_PATHS)
_BODIES = frozenset({"http.response.body", "http.response.pathsend"})
_READ = frozenset({LANE_HEADER, ATTEMPT_HEADER, ENVOY_HEADER, GRPC_HEADER})


def is_open(path: str) -> bool:
    """Whether this path is never behind the gate."""
    return path in OPEN_PATHS or path.startswith(_BELOW_OPEN)


def _number(value: bytes) -> int | None:
    return int(value) if value.isdigit() and len(value) <= 9 else None


def attempt_number(headers: dict[bytes, bytes]) -> int:
    """Which attempt of its request this is, from 1; 0 when it is not said or makes no sense.

    The header of our own goes first, then Envoy's, then gRPC's, which counts *previous* attempts.
    """
    if ATTEMPT_HEADER in headers:
        number = _number(headers[ATTEMPT_HEADER]) or 0
    elif ENVOY_HEADER in headers:
        number = _number(headers[ENVOY_HEADER]) or 0
    elif GRPC_HEADER in headers:
        previous = _number(headers[GRPC_HEADER])
        number = 0 if previous is None else previous + 1
    else:
        return 0
    return min(number, MAX_ATTEMPT)


class Answer:
    """A small JSON response, encoded once and sent many times."""

    def __init__(self, status: int, error: str, message: str, retry_after_s: int | None) -> None:
        body = {"error": error, "message": message, "fields": []}
        self._body = json.dumps(body, separators=(",", ":")).encode()
        self._status = status
        self._headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(self._body)).encode()),
            OWNED,
        ]
        if retry_after_s is not None:
            self._headers.append((b"retry-after", str(retry_after_s).encode()))

    async def __call__(self, send: Send) -> None:
        # The list is copied: layers outside may append to what they are handed.
        headers = list(self._headers)
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body})


def over_capacity(status: int = 503, retry_after_s: int | None = None) -> Answer:
    """The answer to an attempt over capacity, with ``Retry-After`` in whole seconds if given."""
    return Answer(status, "over-capacity", "turned away: the lane is at capacity", retry_after_s)


class _Passage:
    """Watches one admitted attempt: is its response complete, or has its client gone before?"""

    __slots__ = ("_completed", "_held", "_receive", "_send", "complete", "gone")

    def __init__(self, receive: Receive, send: Send, completed: Callable[[], None]) -> None:
        """`completed` is called once, when the last of the response has been sent."""
        self._receive = receive
        self._send = send
        self._completed = completed
        self._held: list[Message] = []
        self.complete = False
        self.gone = False

    async def receive(self) -> Message:
        """What the app receives."""
        return self._held.pop(0) if self._held else await self._next()

    async def _next(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect" and not self.complete:
            self.gone = True
        return message

    async def send(self, message: Message) -> None:
        """What the app sends."""
        last = message["type"] in _BODIES and not message.get("more_body", False)
        if last:
            await self._look()
        try:
            await self._send(message)
        except OSError:
            self.gone = True
            raise
        if last and not self.gone:
            self.complete = True
            self._completed()

    async def _look(self) -> None:
        """See whether the client has gone. Servers swallow what is sent to nobody, so ask."""
        try:
            while not self.gone:
                async with asyncio.timeout(0):
                    message = await self._next()
                self._held.append(message)
        except TimeoutError:
            pass  # nothing has come: the client waits


class Gate:
    """ASGI middleware that enforces and meters a `Target`'s capacity in front of `app`."""

    def __init__(
        self,
        app: ASGIApp,
        target: Target,
        clock: Clock | None = None,
        *,
        turn_away: Answer | None = None,
        control: ASGIApp | None = None,
    ) -> None:
        """Send attempts on to `app`, and what is open to `control`, if that is not the app too."""
        self._app = app
        self.target = target
        self._clock = clock or clock_from_now()
        self._turn_away = turn_away or over_capacity()
        self._control = control or app
        self._ticker: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Started by the server's lifespan call or the first attempt; it ends with the event loop.
        if self._ticker is None or self._ticker.done():
            self._ticker = asyncio.create_task(keep_ticking(self.target, self._clock))
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif is_open(path_below_mount(scope)):
            await self._control(scope, receive, send)
        else:
            await self._attempt(scope, receive, send)

    async def _attempt(self, scope: Scope, receive: Receive, send: Send) -> None:
        now_s = self._clock()
        headers = self._said(scope["headers"])
        try:
            lane = self.target.lane(headers.get(LANE_HEADER, DEFAULT_LANE).decode("latin-1"), now_s)
        except BadLaneNameError as error:
            await Answer(400, "bad-lane", f"X-Aftershock-Lane: {error}", None)(send)
            return
        except TooManyLanesError:
            await Answer(400, "too-many-lanes", f"X-Aftershock-Lane: {LANE_LIMIT}", None)(send)
            return
        attempt = attempt_number(headers)
        if self.target.admit(lane, attempt, now_s):
            await self._pass(lane, attempt, scope, receive, send)
        else:
            await self._turn_away(send)

    @staticmethod
    def _said(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
        return {name: value for name, value in headers if name in _READ}

    async def _pass(
        self, lane: Lane, attempt: int, scope: Scope, receive: Receive, send: Send
    ) -> None:
        passage = _Passage(
            receive, send, lambda: self.target.complete(lane, attempt, self._clock())
        )
        try:
            await self._app(scope, passage.receive, passage.send)
        except asyncio.CancelledError:
            passage.gone = True
            raise
        finally:
            # An app that fails without an answer is in neither count: its client got an error.
            if passage.gone and not passage.complete:
                self.target.abandon(lane, attempt, self._clock())
