"""The HTTP path under every attempt: one attempt, one message on the wire, never more.

Built on geventhttpclient's parser and gevent's sockets, but not on its `HTTPClient`: that one
sends again by itself when a connection closes without an answer, which is a retry layer hidden
below the one being measured. Here a connection that the server closed while idle is noticed
before anything is sent on it, and replaced; whatever happens after that is the attempt's outcome.
"""

import json
import select
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import gevent
import gevent.socket
import gevent.ssl
from gevent import monkey
from geventhttpclient.response import HTTPConnectionClosed, HTTPParseError, HTTPResponse

from loadtests.policies.outcome import AttemptError

# The real poll, not gevent's: asking whether an idle connection is closed must not yield to others.
_poll: Callable[[], select.poll] = monkey.get_original("select", "poll")

MAX_IDLE_CONNECTIONS = 256
RECEIVE_BYTES = 65536
MAX_ANSWER_BYTES = 64 << 20
"""Of one answer, its head and interim ones counted in: more is no answer that anybody waits for."""
_READABLE = 0x001  # POLLIN
_NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to an attempt, or status code 0 where none came; `error` says why.

    Names of headers are in lower case. `elapsed_s` runs from sending to the last byte.
    """

    status_code: int
    elapsed_s: float
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    error: AttemptError | None = None

    @property
    def ok(self) -> bool:
        """An answer came, and it was no error."""
        return self.error is None and 0 < self.status_code < 400

    @property
    def text(self) -> str:
        """The body as UTF-8; what is not is replaced."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> object:
        """The body as JSON. Raises `ValueError` when it is none."""
        return json.loads(self.content)


class Transport:
    """Sends attempts to one host over connections that are kept alive.

    Any number of greenlets may use it at once: none waits for another's connection.
    """

    def __init__(
        self, base_url: str, timeout_s: float, max_answer_bytes: int = MAX_ANSWER_BYTES
    ) -> None:
        """`timeout_s` bounds one attempt, from connecting to the last byte.

        An answer of more than `max_answer_bytes` is taken for one that is not HTTP.
        Raises `ValueError` for a URL that is not http or https with a host.
        """
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(
                f"{base_url!r} is not a target: expected a URL such as http://host:8000"
            )
        self._address = (url.hostname, url.port or (443 if url.scheme == "https" else 80))
        self._tls = _tls_context() if url.scheme == "https" else None
        self._timeout_s = timeout_s
        self._max_answer_bytes = max_answer_bytes
        self._prefix = url.path.rstrip("/")
        self._host = url.netloc.rpartition("@")[2]
        self._idle: list[gevent.socket.socket] = []

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] = _NO_HEADERS,
        body: bytes = b"",
    ) -> Response:
        """Make one attempt with the `message` of these."""
        return self.send_message(method, self.message(method, path, headers, body))

    def send_message(self, method: str, message: bytes, timeout_s: float | None = None) -> Response:
        """Make one attempt, within `timeout_s` where that is less than the transport's own.

        What goes wrong on the way is told in the response, not raised.
        """
        started_s = time.monotonic()
        bound_s = self._timeout_s if timeout_s is None else min(timeout_s, self._timeout_s)
        timeout = gevent.Timeout.start_new(bound_s)
        connected = False
        try:
            connection = self._reusable() or self._connect()
            connected = True
            reply = self._exchange(connection, message, method)
            return Response(
                reply.status_code,
                time.monotonic() - started_s,
                {name.lower(): value for name, value in reply.headers},
                bytes(reply.body),
            )
        except gevent.Timeout as error:
            if error is not timeout:
                raise
            kind = AttemptError.TIMEOUT if connected else AttemptError.CONNECT_TIMEOUT
            return _failed(kind, started_s)
        except (OSError, HTTPParseError) as error:
            return _failed(_kind_of(error, connected), started_s)
        finally:
            timeout.close()

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _exchange(self, connection: gevent.socket.socket, message: bytes, method: str) -> "_Reply":
        """Send the message and read its answer, past any interim ones (1xx)."""
        reply = _Reply(method)
        keep, received = False, 0
        try:
            connection.sendall(message)
            while not (reply.message_complete and reply.status_code >= 200):
                data = connection.recv(RECEIVE_BYTES)
                received += len(data)
                if received > self._max_answer_bytes:
                    raise HTTPParseError("the answer is too large")
                reply.feed(data)  # of nothing it ends a body that ends with the connection
                if not data and not reply.message_complete:
                    raise HTTPConnectionClosed("connection closed")
            keep = not reply.should_close() and len(self._idle) < MAX_IDLE_CONNECTIONS
        finally:
            if keep:
                self._idle.append(connection)
            else:
                connection.close()
        return reply

    def _reusable(self) -> gevent.socket.socket | None:
        """The idle connection that was used last, if the server still has it open."""
        while self._idle:
            connection = self._idle.pop()
            poll = _poll()
            poll.register(connection.fileno(), _READABLE)
            # Anything to read on an idle connection is its end, or bytes that nobody asked for.
            if not poll.poll(0):
                return connection
            connection.close()
        return None

    def _connect(self) -> gevent.socket.socket:
        connection = gevent.socket.create_connection(self._address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            return connection
        try:
            return self._tls.wrap_socket(connection, server_hostname=self._address[0])
        except BaseException:
            connection.close()
            raise

    def message(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """What is sent. Raises `ValueError` for what cannot stand in an HTTP message."""
        lines = [f"{method} {self._prefix}{path} HTTP/1.1", f"Host: {self._host}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body or method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join(lines)
        # Each line ends where we end it: a stray line break would smuggle in a second message.
        if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
            raise ValueError("a method, path or header with a line break in it")
        if " " in path:
            raise ValueError(f"the path {path!r} has a space in it: write %20")
        return head.encode("latin-1") + b"\r\n\r\n" + body


class _Reply(HTTPResponse):
    """An answer as it is parsed. The underscored methods are the parser's calls."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.body = bytearray()

    def _on_body(self, buf: bytearray) -> None:
        self.body += buf


def _tls_context() -> gevent.ssl.SSLContext:
    """As `ssl.create_default_context`, but of gevent's kind also where nothing is patched."""
    context = gevent.ssl.SSLContext(gevent.ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context


def _failed(error: AttemptError, started_s: float) -> Response:
    return Response(0, time.monotonic() - started_s, error=error)


def _kind_of(error: OSError | HTTPParseError, connected: bool) -> AttemptError:
    match error:
        case HTTPConnectionClosed():
            return AttemptError.CLOSED
        case HTTPParseError():
            return AttemptError.NOT_HTTP
        case ConnectionRefusedError():
            return AttemptError.REFUSED
        case ConnectionResetError() | BrokenPipeError():
            return AttemptError.RESET
        case TimeoutError():
            return AttemptError.TIMEOUT if connected else AttemptError.CONNECT_TIMEOUT
        case _:
            return AttemptError.RESET if connected else AttemptError.UNREACHABLE
