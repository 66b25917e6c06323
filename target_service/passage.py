"""One admitted attempt on its way through an app: is it answered, or has its client gone?"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from starlette.types import Message, Receive, Send

from target_service.connection import Connection

FAILED = "aftershock.failed"
"""In ``http.response.start``: the answer is an error that no capacity is the cause of."""
JUST_READ = "aftershock.just-read"
"""In ``http.response.body``: the app has this moment waited for the network, as the server has."""

_BODIES = frozenset({"http.response.body", "http.response.pathsend"})
_NO_BODY = frozenset({204, 304})
_HELD_BYTES = 65_536


def _nothing() -> None:
    """What a passage calls later: it holds on to nobody then, as in a circle of references."""


def promised_bytes(start: Message) -> int | None:
    """What Content-Length says in ``http.response.start``; None: nothing, or what is no length."""
    said = [value for name, value in start.get("headers", ()) if name.lower() == b"content-length"]
    return int(said[0]) if said and said[0].isdigit() and len(said[0]) < 16 else None


class Passage:
    """Stands between the server and the app; the app gets `receive` and `send`."""

    __slots__ = (
        "_changed", "_completed", "_connection", "_head_only", "_held", "_held_bytes",
        "_left_bytes", "_pumping", "_receive", "_send", "_start", "broken_off", "complete",
        "failed", "gone",
    )  # fmt: skip

    def __init__(
        self,
        receive: Receive,
        send: Send,
        completed: Callable[[], None],
        connection: Connection | None = None,
        *,
        head_only: bool = False,
    ) -> None:
        """`completed` is called once, when the last of the response has been sent.

        `head_only`: the response has no body, whatever length it says, as that to a HEAD.
        """
        self._head_only = head_only
        self._start: Message | None = None
        self._left_bytes: int | None = None
        self._connection = connection
        self._receive = receive
        self._send = send
        self._completed = completed
        self._held: deque[Message] = deque()
        self._held_bytes = 0
        self._changed: asyncio.Event | None = None
        self._pumping: object | None = None
        self.broken_off = False
        self.complete = False
        self.failed = False
        self.gone = False

    async def receive(self) -> Message:
        """What the app receives."""
        while self._pumping and not self._held and self._changed is not None and not self.gone:
            self._changed.clear()
            await self._changed.wait()
        if self._held:
            if self._changed is not None:
                self._changed.set()
            message = self._held.popleft()
            self._held_bytes -= len(message.get("body", b""))
            return message
        return await self._next()

    def _hold(self, message: Message) -> None:
        self._held.append(message)
        self._held_bytes += len(message.get("body", b""))

    async def _next(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect" and not (self.complete or self.broken_off):
            self.gone = True
        return message

    async def send(self, message: Message) -> None:
        """What the app sends."""
        if message["type"] == "http.response.start":
            self._start = message
            self.failed = message.pop(FAILED, False) or self.failed
        last = message["type"] in _BODIES and not self.complete and self._is_last(message)
        if last:
            await self._look(just_read=message.pop(JUST_READ, False))
        try:
            await self._send(message)
        except OSError:
            self.gone = self.gone or not self.complete
            raise
        if last and not self.gone:
            self.complete = True
            completed, self._completed = self._completed, _nothing
            completed()

    def _is_last(self, message: Message) -> bool:
        """Whether the client has all of the answer with it, and may hang up before the app's end.

        Apps that stream send an empty piece at the end of what was whole already.
        """
        if not message.get("more_body", False):
            return True
        start, self._start = self._start, None
        if start is not None:
            bare = self._head_only or start["status"] in _NO_BODY
            self._left_bytes = 0 if bare else promised_bytes(start)
        if self._left_bytes is None:
            return False
        self._left_bytes -= len(message.get("body", b""))
        return self._left_bytes <= 0

    async def until_gone(self) -> None:
        """Return when the client has gone. What it sends meanwhile is kept for the app.

        Of a long body only the beginning is, until the app takes it: the server then stops reading,
        and does not see the client go either.
        """
        mine = self._pumping = object()  # another may begin before this one has ended
        changed = self._changed = self._changed or asyncio.Event()
        try:
            while not self.gone:
                while self._held_bytes > _HELD_BYTES:
                    changed.clear()
                    await changed.wait()
                message = await self._next()
                self._hold(message)
                changed.set()
                if message["type"] == "http.disconnect":
                    return  # also after the answer, when servers say so again and again
        finally:
            if self._pumping is mine:
                self._pumping = None
            changed.set()

    async def pause(self, pause_s: float) -> None:
        """Return after so long, or when the client has gone."""
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                while self._pumping and self._changed is not None and not self.gone:
                    self._changed.clear()  # somebody looks, or has been told to stop
                    await self._changed.wait()
                await self.until_gone()

    async def left_waiting(self, limit_s: float) -> None:
        """Return when the client has gone, or after so long. What it sends is thrown away."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not self.gone:
                    await self.receive()

    def break_off(self) -> None:
        """The answer ends here, by our own doing: the client does not count as gone."""
        self.broken_off = True

    async def _look(self, *, just_read: bool) -> None:
        """See whether the client has gone. Servers swallow what is sent to nobody, so ask."""
        if self._pumping:
            return  # somebody is looking all the time
        if self._connection is not None:
            if not just_read:
                await asyncio.sleep(0)  # let the server read what has come
            self.gone = self.gone or (self._connection.gone and not self.broken_off)
            return
        try:
            while not self.gone:
                async with asyncio.timeout(0):
                    message = await self._next()
                self._hold(message)
        except TimeoutError:
            pass  # nothing has come: the client waits
