"""The server's side of a proxy: what uvicorn must be told beside the app."""

from typing import Any, cast
from urllib.parse import unquote

import httptools
from starlette.types import Scope

from target_service.bad_requests import BadRequestError
from target_service.gate import OPEN_PATHS
from target_service.paths import Subtrees
from target_service.protocol import BoundedHeadProtocol
from target_service.upstream.address import Address
from target_service.upstream.forwarded import TARGET, host_of, request_headers
from target_service.upstream.headers import RequestHead
from target_service.upstream.tunnel import End, dig

_CODING = b"transfer-encoding"
_OPEN = Subtrees(OPEN_PATHS)


class UnknownCodingError(BadRequestError):
    """A body in another transfer coding than chunked: it would be passed on without its name."""

    message = "bodies have the transfer coding 'chunked' or none"


class ProxyProtocol(BoundedHeadProtocol):
    """Tells the app the request target as it came, and leads WebSockets around it in a tunnel."""

    upstream: Address

    def on_headers_complete(self) -> None:
        """The app has not begun yet: it is in a task of its own. Raises `UnknownCodingError`."""
        if any(name == _CODING and value.lower() != b"chunked" for name, value in self.headers):
            raise UnknownCodingError
        super().on_headers_complete()
        cast("Scope", self.scope)[TARGET] = self.url
        if (host := host_of(self.url)) is not None:
            # It holds, and not what the header says (RFC 9112, 3.2.2).
            self.headers[:] = [(b"host", host), *(h for h in self.headers if h[0] != b"host")]

    def _should_upgrade(self) -> bool:
        return (
            self._get_upgrade() == b"websocket"
            and self.parser.get_method() == b"GET"
            and self.url.startswith(b"/")
            # What is open is answered here, behind the door: no tunnel leads around that.
            and _path(self.url) not in _OPEN
        )

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to a tunnel."""
        self.connections.discard(self)
        if self.cycle is not None and not self.cycle.response_complete:
            # Its answer would come out in the middle of the tunnel.
            self.transport.close()
            return
        connections = self.connections
        client = End(lambda: connections.discard(client))
        connections.add(cast("Any", client))  # uvicorn asks them to shut down, no more
        client.connection_made(self.transport)
        self.transport.pause_reading()
        self.transport.set_protocol(client)
        peer = self.client[0] if self.client else "unknown"
        headers = request_headers(self.headers, peer, self.scope["scheme"])
        headers += ((b"connection", b"upgrade"), (b"upgrade", b"websocket"))
        target = self.upstream.prefix + self.url
        head = RequestHead(b"GET", target, self.upstream.netloc, headers, b"")
        task = self.loop.create_task(dig(self.upstream, client, head.text))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


def _path(target: bytes) -> str:
    """As uvicorn tells it to apps."""
    path: bytes = httptools.parse_url(target).path
    return unquote(path.decode("ascii"))


def protocol_for(upstream: Address) -> type[ProxyProtocol]:
    """The protocol class for uvicorn, which makes its instances itself."""
    return type("ProxyProtocol", (ProxyProtocol,), {"upstream": upstream})
