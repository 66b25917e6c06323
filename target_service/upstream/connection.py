"""One connection to the upstream, and the one exchange that it is busy with."""

import asyncio
import contextlib
import select
from collections.abc import AsyncIterator, Callable
from typing import cast

from target_service.upstream.answer import Answer
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind, kind_of_loss
from target_service.upstream.headers import RequestHead
from target_service.upstream.sweep import Sweep

HIGH_WATER_BYTES = 64 * 1024
"""Nothing more is read from the upstream while this much of a body waits to be taken."""
EXPECT_WAIT_S = 1.0
"""How long a body waits for the upstream's word to go on; some never say it."""


class Connection(asyncio.Protocol):
    """Sends one request at a time and reads its answer, no faster than the caller takes it."""

    def __init__(self, on_idle_end: Callable[["Connection"], None], soon: Sweep) -> None:
        """`on_idle_end` is called when it ends while no exchange is going on.

        So `soon` the head of an answer is told without its body. Many servers send it by itself,
        and the body right behind it: to do all twice would cost half as much again.
        """
        self._on_idle_end = on_idle_end
        self._soon = soon
        self._transport: asyncio.Transport
        self._poll = select.poll()
        self._answer: Answer | None = None
        self._failure: Exception | None = None
        self._news: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._leave: asyncio.Event | None = None
        self._sending: asyncio.Task[None] | None = None
        self._write_paused = self._read_paused = self._lost = False
        self.idle_since_s = 0.0

    def begin(self, answer: Answer, head: RequestHead, body: bytes | AsyncIterator[bytes]) -> None:
        """Send a request: what is there at once, the rest as it comes and as it is taken."""
        self._answer, self._failure = answer, None
        if isinstance(body, bytes):
            self._transport.write(head.text + body)
        else:
            self._transport.write(head.text)
            self._leave = asyncio.Event() if head.expects else None
            self._sending = asyncio.create_task(self._send_body(head, body))

    async def head(self, answer: Answer) -> None:
        """Wait for the head of the answer. Raises `UpstreamError`, or what the body raised."""
        while not answer.has_head:
            await self._to_come()

    async def part(self, answer: Answer) -> bytes:
        """What has come of the answer's body, as soon as there is some; nothing when it is over.

        Raises `UpstreamError` when it breaks off, or what the request's body raised.
        """
        while not answer.parts:
            if answer.complete:
                return b""
            await self._to_come()
        part = answer.take()
        if self._read_paused and not self._lost:
            self._read_paused = False
            self._transport.resume_reading()
        return part

    def end(self, answer: Answer) -> bool:
        """The exchange is over: whether the connection can serve another. It is closed if not."""
        sending, self._sending, self._answer = self._sending, None, None
        answer.let_go()
        sent = sending is None or sending.done()
        if sending is not None and not sent:
            sending.cancel()
        if answer.reusable and sent and not (self._lost or self._read_paused):
            return True
        self.abort()
        return False

    def abort(self) -> None:
        """Close it at once."""
        if not self._lost:
            self._transport.abort()

    def is_fresh(self) -> bool:
        """Whether the upstream keeps the idle connection open, and has said nothing on it."""
        # The loop may not know it yet, so the kernel is asked. Anything to read on an idle
        # connection is its end, or bytes that nobody asked for.
        return not (self._lost or self._transport.is_closing() or self._poll.poll(0))

    def _to_come(self) -> asyncio.Future[None]:
        if self._failure is not None:
            raise self._failure
        self._news = asyncio.get_running_loop().create_future()
        return self._news

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _fail(self, failure: Exception) -> None:
        if self._failure is None:
            self._failure = failure
        self.abort()
        self._wake()

    async def _send_body(self, head: RequestHead, body: AsyncIterator[bytes]) -> None:
        try:
            if self._leave is not None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(EXPECT_WAIT_S):
                        await self._leave.wait()
            async for part in head.framed(body):
                if self._lost:
                    return  # why is known already
                self._transport.write(part)
                if self._write_paused:
                    self._drained = asyncio.get_running_loop().create_future()
                    await self._drained
        except Exception as failure:  # noqa: BLE001 - told to the caller, who waits for the answer
            self._fail(failure)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's have no such base
        self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def pause_writing(self) -> None:
        """The upstream takes less than it is sent."""
        self._write_paused = True

    def resume_writing(self) -> None:
        """It has caught up."""
        self._write_paused = False
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Some of the answer."""
        answer = self._answer
        if answer is None:
            self.abort()
            return
        had_head = answer.has_head
        try:
            answer.feed(data)
        except UpstreamError as error:
            self._fail(error)
            return
        if answer.go_on and self._leave is not None:
            self._leave.set()
        if answer.buffered > HIGH_WATER_BYTES and not self._read_paused:
            self._read_paused = True
            self._transport.pause_reading()
        if had_head:
            self._soon.discard(self._wake)
        elif answer.has_head and not (answer.parts or answer.complete):
            self._soon.add(self._wake)  # whoever waits looks again, so it may come too late
            return
        self._wake()

    def eof_received(self) -> None:
        """The upstream sends no more: that is the end of a body whose length is not said."""
        if self._answer is not None and not self._answer.feed_end():
            self._fail(UpstreamError(UpstreamErrorKind.CLOSED))
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._lost = True
        self.resume_writing()
        if self._answer is None:
            self._on_idle_end(self)
        elif not self._answer.complete:
            self._fail(UpstreamError(kind_of_loss(exc), str(exc or "")))
