"""An answer from upstream, whole or as it comes, until it is passed on or dropped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Protocol

from loadtests.gateway.headers import Header
from target_service.upstream import UpstreamError, UpstreamErrorKind

WHOLE_BYTES = 64 * 1024
"""An answer that says it has no more is taken whole before it is judged; of a larger one that is
not the last, no more is kept."""


class Response(Protocol):
    """What an `UpstreamClient` gives: a head, and a body that raises `UpstreamError`."""

    status: int
    headers: list[Header]

    async def next_part(self) -> bytes:
        """Some of the body; nothing at its end."""
        ...

    async def read(self, limit: int) -> bytes:
        """`limit` bytes of the body, or all there are."""
        ...

    def close(self) -> None:
        """Give the connection back if all was read, else close it."""
        ...


class Answer:
    """The head of an answer, with its body or what brings it.

    `timeout_s` is how long each piece of the body may take.
    """

    def __init__(self, response: Response, timeout_s: float) -> None:
        self.status = response.status
        self.headers = response.headers
        self._response = response
        self._timeout_s = timeout_s
        self._body: bytes | None = None
        self._draining: asyncio.Task[None] | None = None

    async def take_whole_if_small(self, within_s: float) -> None:
        """Read the body, if it says that it is small.

        Raises `UpstreamError` if it is cut short, or not there `within_s`.
        """
        if not self._is_small():
            return
        try:
            async with asyncio.timeout(within_s):
                self._body = await self._all_of_it()
        except TimeoutError:
            raise UpstreamError(UpstreamErrorKind.TIMEOUT) from None

    def _is_small(self) -> bool:
        lengths = {value for name, value in self.headers if name == b"content-length"}
        [length, *others] = lengths or {b""}
        return not others and length.isdigit() and len(length) <= 9 and int(length) <= WHOLE_BYTES

    async def _all_of_it(self) -> bytes | None:
        """The body, None if it is too large. The connection is free then, or closed."""
        try:
            body = await self._response.read(WHOLE_BYTES + 1)
        finally:
            self._response.close()
        return body if len(body) <= WHOLE_BYTES else None

    def set_aside(self) -> None:
        """More attempts follow: read what there is of it meanwhile, and free its connection."""
        if self._body is None:
            self._draining = asyncio.create_task(self._drain())

    async def _drain(self) -> None:
        with suppress(UpstreamError, TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                self._body = await self._all_of_it()

    @property
    def is_kept(self) -> bool:
        """Whether all of the body is here."""
        return self._body is not None

    async def settled(self) -> bool:
        """Whether it can be passed on whole: not if it was set aside and too large to be kept."""
        if self._draining is not None:
            await self._draining
            return self._body is not None
        return True

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body. Raises `UpstreamError` if it is cut short, or a piece takes too long."""
        if self._body is not None:
            yield self._body
            return
        while True:
            try:
                async with asyncio.timeout(self._timeout_s):
                    piece = await self._response.next_part()
            except TimeoutError:
                raise UpstreamError(UpstreamErrorKind.TIMEOUT) from None
            if not piece:
                return
            yield piece

    def close(self) -> None:
        """It is not wanted any more, or has been passed on."""
        if self._draining is not None:
            self._draining.cancel()
        self._response.close()
