"""What a fault does to an admitted attempt, in the place of its answer or to it.

An attempt that is answered with an error, reset or cut short counts as completed and failed; one
whose client goes while it waits counts as abandoned.
"""

from starlette.types import ASGIApp, Message, Scope

from target_service.connection import connection_of
from target_service.disorder import Blow, Cut, Error, Hang, Reset
from target_service.limits import MAX_HANG_S
from target_service.passage import Passage, promised_bytes
from target_service.words import Answer, headers_of_fault

_NO_BODY = frozenset({204, 304})


async def strike(blow: Blow, app: ASGIApp, scope: Scope, passage: Passage) -> None:
    """Let happen to the attempt what was decided. The app is asked only where it answers."""
    if blow.delay_s > 0:
        await passage.pause(blow.delay_s)
    if passage.gone:
        return
    match blow.ending:
        case None:
            await app(scope, passage.receive, passage.send)
        case Error() as error:
            passage.failed = True
            await _answer(error)(passage.send)
        case Hang():
            await passage.left_waiting(MAX_HANG_S)
            if not passage.gone:
                await _reset(scope, passage)
        case Reset():
            await _reset(scope, passage)
        case Cut():
            await _cut(app, scope, passage)


def _answer(error: Error) -> Answer:
    said = "failed: a fault that was planned struck"
    return Answer(error.status, "fault", said, headers_of_fault(error))


async def _reset(scope: Scope, passage: Passage) -> None:
    """Reset the connection. Where the server has no way to, promise a body and return without it.

    Servers then close the connection, which the client also sees fail in the middle of an answer.
    """
    passage.break_off()
    connection = connection_of(scope)
    if connection is not None:
        connection.reset()
        return
    headers = [(b"content-length", b"1")]
    await passage.send({"type": "http.response.start", "status": 500, "headers": headers})


async def _cut(app: ASGIApp, scope: Scope, passage: Passage) -> None:
    cutting = _Cutting(scope, passage)
    try:
        await app(scope, passage.receive, cutting.send)
    except Exception:
        if not passage.broken_off:
            raise
        # The app was told that its client has gone, and said so in its way.


class _Cutting:
    """Lets half of an answer's body through, and then tells the app that the client has gone.

    Half is by the answer's Content-Length; where it says none, half of the first part of the body.
    Of an answer without a body nothing is sent. Where the server gives the connection away it is
    closed; others close it themselves when the app returns and the answer is not whole.
    """

    def __init__(self, scope: Scope, passage: Passage) -> None:
        self._scope = scope
        self._passage = passage
        self._start: Message | None = None
        self._left: int | None = None
        """Bytes of the body that still go through, once that is known."""
        self._has_body = True

    async def send(self, message: Message) -> None:
        """What the app sends."""
        if self._passage.broken_off:
            raise OSError("the answer was cut short")
        if message["type"] == "http.response.start":
            self._start = message
            self._has_body = self._scope["method"] != "HEAD" and message["status"] not in _NO_BODY
            self._left = _half_of_promised(message)
        elif message["type"] == "http.response.body":
            await self._body(message.get("body", b""), more=message.get("more_body", False))
        elif message["type"] == "http.response.pathsend":
            await self._end(b"")
        else:
            await self._passage.send(message)

    async def _body(self, body: bytes, *, more: bool) -> None:
        if not self._has_body or not (body or more):
            self._break_off()
            return
        if self._left is None and body:
            self._left = len(body) // 2
        if self._left is None:
            return
        if len(body) >= self._left or not more:
            await self._end(body[: self._left])
        elif body:
            await self._begin()
            self._left -= len(body)
            await self._passage.send(_part(body))

    async def _begin(self) -> None:
        start, self._start = self._start, None
        if start is not None:
            await self._passage.send(start)

    async def _end(self, last: bytes) -> None:
        await self._begin()
        if last:
            await self._passage.send(_part(last))
        self._break_off()

    def _break_off(self) -> None:
        self._passage.break_off()
        connection = connection_of(self._scope)
        if connection is not None:
            connection.close()


def _half_of_promised(start: Message) -> int | None:
    promised = promised_bytes(start)
    return None if promised is None else promised // 2


def _part(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}
