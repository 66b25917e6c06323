"""One answer as it is parsed: bytes in, status, headers and body out. It does no I/O."""

import httptools

from target_service.upstream.errors import UpstreamError, UpstreamErrorKind
from target_service.upstream.headers import has_option

MAX_HEAD_BYTES = 64 * 1024
"""Of an answer's head with the interim ones before it, and of the trailers after a body."""


class Answer:
    """What has come of the answer to one request. The `on_…` methods are the parser's calls."""

    __slots__ = (
        "_bodiless",
        "_oddity",
        "_overhead",
        "_parser",
        "buffered",
        "complete",
        "go_on",
        "has_head",
        "headers",
        "parts",
        "reusable",
        "status",
    )

    def __init__(self, method: bytes) -> None:
        """`method` is the request's: the answer to HEAD has a length, but no body."""
        self._bodiless = method == b"HEAD"
        self._overhead = 0
        self._oddity = ""
        self._parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.has_head = self.complete = False
        self.go_on = False
        """The interim answer 100 has come."""
        self.reusable = False
        """The answer is complete, nothing has followed it, and the connection is kept alive."""
        self.parts: list[bytes] = []
        self.buffered = 0
        """Bytes in `parts`, which is emptied by whoever takes them."""

    def feed(self, data: bytes) -> None:
        """Parse what has come. Raises `UpstreamError` for what is no HTTP, or has no end."""
        self._overhead += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.reusable = False
            if not self.complete:
                detail = self._oddity or str(error)
                raise UpstreamError(UpstreamErrorKind.NOT_HTTP, detail) from None
        if self._overhead > MAX_HEAD_BYTES and not self.complete:
            raise UpstreamError(UpstreamErrorKind.NOT_HTTP, "a head without end")
        if self.status and not self.has_head:
            raise UpstreamError(UpstreamErrorKind.NOT_HTTP, self._oddity)

    def feed_end(self) -> bool:
        """The upstream sends no more: whether that is how this answer ends."""
        if self.has_head and not self.complete and not self._says_its_end():
            self.complete = True
        return self.complete

    def take(self) -> bytes:
        """What has come of the body and was not taken before."""
        parts = self.parts
        self.parts, self.buffered = [], 0
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def let_go(self) -> None:
        """Nothing more is fed: parser and answer hold on to each other no longer."""
        del self._parser

    def on_message_begin(self) -> None:
        """A head begins: the answer's, or something that nobody asked for."""
        self.reusable = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer, which is dropped."""
        if not self.has_head:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """The head is over; an interim one (1xx) is only the first."""
        if self.status:
            return
        status = self._parser.get_status_code()
        if 100 <= status < 200 and status != 101:
            self.go_on = self.go_on or status == 100
            self.headers = []
            return
        if self._overhead > MAX_HEAD_BYTES and self._head_bytes() > MAX_HEAD_BYTES:
            return  # as if it had not come: a head without end
        # One that nothing can be made of is told as what came, but is no head of an answer.
        self._oddity = self._odd(status)
        self.status, self.has_head = status, not self._oddity
        self._overhead = 0
        if self._bodiless and self.has_head:
            # The parser does not know of HEAD and waits for a body; it is not asked again.
            self.complete, self.reusable = True, self._keeps_alive()

    def on_body(self, body: bytes) -> None:
        """Some of the body."""
        self._overhead = 0
        if self.complete or not self.has_head:
            self.reusable = False
            return
        self.parts.append(body)
        self.buffered += len(body)

    def on_message_complete(self) -> None:
        """The answer is over, or an interim one."""
        if self.has_head and not self.complete:
            self.complete = True
            self.reusable = self._parser.should_keep_alive()

    def _odd(self, status: int) -> str:
        """Why nothing can be made of this head; empty where something can."""
        if not 200 <= status <= 599:
            return f"status {status}"
        for name, value in self.headers:
            if name == b"transfer-encoding" and value.lower() != b"chunked":
                # It was not asked for, and would be passed on as if it were the body.
                return f"the transfer coding {value[:40].decode('latin-1')}"
        return ""

    def _head_bytes(self) -> int:
        return sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _says_its_end(self) -> bool:
        return any(name == b"content-length" for name, _ in self.headers) or has_option(
            self.headers, b"transfer-encoding", b"chunked"
        )

    def _keeps_alive(self) -> bool:
        return self._parser.get_http_version() == "1.1" and not has_option(
            self.headers, b"connection", b"close"
        )
