"""A WebSocket on its way through: the upgrade is watched over, what follows it is not looked at.

Until the upstream has answered 101 nothing of what the client sends is passed on. It would
otherwise be a way to send the upstream any request, past the gate: ask for an upgrade that is
refused, then go on in HTTP.
"""

import asyncio
import re
from collections.abc import Callable
from typing import cast

from target_service.error_body import last_answer
from target_service.upstream.address import Address
from target_service.upstream.answer import MAX_HEAD_BYTES, Answer
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind, kind_of_loss
from target_service.upstream.forwarded import answer_headers, failure

UPGRADE_TIMEOUT_S = 60.0
LINGER_S = 10.0
"""How long one side may take to read what the other sent before it closed."""

_BEGINNING = b"HTTP/1."
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |\r\n)")


class End(asyncio.Protocol):
    """One end of the tunnel. What comes in goes out at the `other`, no faster than it takes it."""

    def __init__(self, on_lost: Callable[[], None] = lambda: None) -> None:
        self.transport: asyncio.Transport
        self.other: End | None = None
        self._on_lost = on_lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's have no such base

    def data_received(self, data: bytes) -> None:
        """Pass it on."""
        if self.other is not None:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        """This end takes less than comes in at the other."""
        if self.other is not None and not self.other.transport.is_closing():
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        """It has caught up."""
        if self.other is not None and not self.other.transport.is_closing():
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """When one end is closed the other is, after what is on its way."""
        if self.other is not None:
            self.other.finish()
        self._on_lost()

    def finish(self) -> None:
        """Close it when all is sent, or when that takes too long."""
        if not self.transport.is_closing():
            self.transport.close()
            asyncio.get_running_loop().call_later(LINGER_S, self.transport.abort)

    def shutdown(self) -> None:
        """What the server asks of its connections when it stops."""
        self.finish()


class UpstreamEnd(End):
    """The end at the upstream, which first has to agree to the upgrade."""

    def __init__(self, client: End) -> None:
        super().__init__()
        self.other = client
        self._client = client
        self._open = False
        self._head = b""
        self._answer: Answer | None = None
        loop = asyncio.get_running_loop()
        self._timeout = loop.call_later(UPGRADE_TIMEOUT_S, self._too_late)

    def data_received(self, data: bytes) -> None:
        """The answer to the upgrade, then what is passed on."""
        if self._open:
            self._client.transport.write(data)
        elif self._answer is not None:
            self._relay(data)
        else:
            self._head += data
            self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """The upstream has gone."""
        self._timeout.cancel()
        if not self._open and self._answer is None:
            self._refuse(UpstreamError(kind_of_loss(exc), str(exc or "")))
        super().connection_lost(exc)

    def _look(self) -> None:
        """See what the upstream says, past interim answers."""
        while (end := self._head.find(b"\r\n\r\n") + 4) >= 4:
            said = _STATUS.match(self._head)
            status = int(said[1]) if said else 0
            if status == 101:
                self._open_up()
                return
            if not 100 <= status < 200:
                self._answer = Answer(b"GET")
                self._relay(self._head, head_bytes=end)
                return
            self._head = self._head[end:]
        if not self._head.startswith(_BEGINNING[: len(self._head)]):
            self._refuse(UpstreamError(UpstreamErrorKind.NOT_HTTP))
        elif len(self._head) > MAX_HEAD_BYTES:
            self._refuse(UpstreamError(UpstreamErrorKind.NOT_HTTP, "a head without end"))

    def _open_up(self) -> None:
        self._timeout.cancel()
        self._open = True
        self._client.transport.write(self._head)
        self._head = b""
        if not self._client.transport.is_closing():
            self._client.transport.resume_reading()

    def _relay(self, data: bytes, head_bytes: int = 0) -> None:
        """The upstream does not agree: pass on its answer and nothing behind it."""
        answer = self._answer
        assert answer is not None  # noqa: S101 - for the type's sake
        try:
            answer.feed(data)
        except UpstreamError as error:
            if head_bytes:
                self._refuse(error)
            else:
                self.transport.abort()
            return
        answer.take()
        head = _head_of(answer, data[: data.find(b"\r\n")]) if head_bytes else b""
        self._client.transport.write(head + data[head_bytes:])
        if answer.complete:
            self._client.finish()
            self.transport.abort()

    def _too_late(self) -> None:
        detail = f"no answer in {UPGRADE_TIMEOUT_S:g} s"
        self._refuse(UpstreamError(UpstreamErrorKind.TIMEOUT, detail))

    def _refuse(self, error: UpstreamError) -> None:
        refuse(self._client, error)
        self.transport.abort()


def _head_of(answer: Answer, status_line: bytes) -> bytes:
    """As any answer's, but that the body behind it stays as it came, and is the last."""
    headers = answer_headers(answer.status, answer.headers)
    headers += [header for header in answer.headers if header[0] == b"transfer-encoding"]
    lines = [status_line, *(b"%b: %b" % header for header in headers), b"connection: close"]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def refuse(client: End, error: UpstreamError) -> None:
    """Answer in the upstream's place, and close."""
    if client.transport.is_closing():
        return
    status, body = failure(error)
    client.transport.write(last_answer(status, body))
    client.finish()


async def dig(address: Address, client: End, head: bytes) -> None:
    """Connect the client's end, which is not being read, to the upstream, and ask to upgrade."""
    try:
        upstream = await address.open(lambda: UpstreamEnd(client))
    except UpstreamError as error:
        refuse(client, error)
        return
    client.other = upstream
    if client.transport.is_closing():
        upstream.transport.abort()
        return
    upstream.transport.write(head)
