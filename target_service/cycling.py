"""The server's protocol with `Cycle`s in the place of uvicorn's, and without a timer for each."""

import asyncio
from typing import cast
from urllib.parse import unquote

import httptools
from starlette.types import Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from target_service.connection import EXTENSION
from target_service.cycle import Cycle


class CyclingProtocol(HttpToolsProtocol):
    """Has each request answered in a `Cycle`. It knows of no `limit_concurrency`."""

    answering: Cycle | None = None
    """The newest that was begun; later ones may wait behind it."""
    idle_since_s: float | None = None
    """Since when it has owed no answer; `timeout_keep_alive` is up to those who derive from it."""

    def on_headers_complete(self) -> None:
        """A head is over: its app begins once what it follows is answered."""
        parser, scope = self.parser, self.scope
        version = parser.get_http_version()
        scope["method"] = parser.get_method().decode("ascii")
        scope["http_version"] = version
        if parser.should_upgrade() and self._should_upgrade():
            return
        url = httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        scope["path"] = self.root_path + (unquote(path) if "%" in path else path)
        scope["raw_path"] = self.root_path.encode("ascii") + url.path
        scope["query_string"] = url.query or b""
        before = cast("RequestResponseCycle | None", self.cycle)
        self.cycle = cycle = Cycle(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        cast("Scope", scope)["extensions"] = {EXTENSION: cycle}
        if before is None or before.response_complete:
            self._start_asgi_task(cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self.answering = cast("Cycle", cycle)
        self.idle_since_s = None
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """An answer is complete: the next request that waits has its turn."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self.idle_since_s = self.loop.time()
