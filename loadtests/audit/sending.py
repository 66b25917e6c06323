"""One request as one message on the wire: nothing here sends again or follows a redirect.

It goes straight to the entry: proxies named in the environment are not used.
"""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from aftershock_units import parse_named
from faults.http import split_url
from loadtests.audit.answer import Answer, End

MAX_ANSWER_BYTES = 1024 * 1024
"""More of an answer is not read: what matters is its head, and whether it ends."""
_BODY = b'{"audit": true}'
OURS = frozenset(
    {"content-length", "transfer-encoding", "connection", "x-aftershock-lane"}
    | {"x-aftershock-attempt", "x-aftershock-trace"}
)
"""The names of headers that an audit sets itself."""
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class EntrySender:
    """Sends to `path` below a URL, each request on a connection of its own.

    Head and body leave together. Some layers keep a request for a retry only where all of it was
    there when they passed it on: sent in two parts, it would be retried on one day and not on the
    next.
    """

    def __init__(self, entry: str, path: str, timeout_s: float) -> None:
        """Nothing is sent yet. Raises `ValueError` for what is no HTTP URL or no path.

        `timeout_s` bounds a request from connecting to the last byte.
        """
        parts = parse_named("entry", split_url, entry)
        _check_path(path)
        assert parts.hostname is not None  # noqa: S101 - split_url has seen to it
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._address = (parts.hostname, parts.port or (443 if self._tls else 80))
        self._host = parts.netloc
        self._path = parts.path.rstrip("/") + path
        self._timeout_s = timeout_s

    def send(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send one request and wait for how it ends; what goes wrong is told, not raised."""
        started_s = time.monotonic()
        try:
            connection = self._connected()
        except OSError as error:
            refused = isinstance(error, ConnectionRefusedError)
            end = End.REFUSED if refused else End.UNREACHABLE
            return Answer(end, time.monotonic() - started_s, problem=_reason(error))
        left_s = self._timeout_s - (time.monotonic() - started_s)
        with connection, _deadline(connection, left_s) as reached:
            answer = _exchange(connection, method, self._message(method, headers), reached)
        return replace(answer, elapsed_s=time.monotonic() - started_s)

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(self._address, self._timeout_s)
        if self._tls is None:
            return connection
        try:
            return self._tls.wrap_socket(connection, server_hostname=self._address[0])
        except BaseException:
            connection.close()
            raise

    def _message(self, method: str, headers: Mapping[str, str]) -> bytes:
        said = {"host": ("Host", self._host), "accept": ("Accept", "*/*")}
        body = _BODY if method in _WITH_BODY else b""
        if body:
            said["content-type"] = ("Content-Type", "application/json")
            said["content-length"] = ("Content-Length", str(len(body)))
        said |= {name.lower(): (name, value) for name, value in headers.items()}
        lines = [f"{method} {self._path} HTTP/1.1", *(f"{n}: {v}" for n, v in said.values())]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _exchange(
    connection: socket.socket, method: str, message: bytes, reached: threading.Event
) -> Answer:
    """Send the message and read the answer. `reached`: the connection was shut, time is up."""
    head: http.client.HTTPResponse | None = None
    end, problem = End.ANSWERED, ""
    try:
        connection.sendall(message)
        answer = http.client.HTTPResponse(connection, method=method)
        answer.begin()
        # Shut in the middle of a head, it would be taken for a whole one.
        head = None if reached.is_set() else answer
        read = answer.read(MAX_ANSWER_BYTES)
        if answer.length and len(read) < MAX_ANSWER_BYTES:
            end = End.CUT_SHORT
    except (OSError, http.client.HTTPException) as error:
        end, problem = _end_of(error, began=head is not None), _reason(error)
    if reached.is_set():
        end, problem = End.TIMED_OUT, ""
    if head is None:
        return Answer(end, 0.0, problem=problem)
    said = {name.lower(): value for name, value in head.getheaders()}
    return Answer(end, 0.0, head.status, said, problem)


def url_of(entry: str, path: str) -> str:
    """`path` below the entry. Raises `ValueError` for what is no HTTP URL or no path."""
    parse_named("entry", split_url, entry)
    _check_path(path)
    return entry.rstrip("/") + path


def _check_path(path: str) -> None:
    if not path.startswith("/") or not path.isascii() or not path.isprintable() or " " in path:
        raise ValueError(f"path: {path[:64]!r} is not a path such as /work")


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


@contextmanager
def _deadline(connected: socket.socket, left_s: float) -> Iterator[threading.Event]:
    """Shut the connection when the time is up: its own timeout begins anew with every byte.

    The event says that it was.
    """
    reached = threading.Event()

    def shut() -> None:
        reached.set()
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(left_s, 0.0), shut)
    timer.daemon = True
    timer.start()
    try:
        yield reached
    finally:
        timer.cancel()


def _end_of(error: Exception, *, began: bool) -> End:
    """`began`: the head of an answer had come."""
    match error:
        case http.client.IncompleteRead():
            return End.CUT_SHORT
        case http.client.RemoteDisconnected():
            return End.CLOSED
        case http.client.HTTPException():
            return End.NOT_HTTP
        case TimeoutError():
            return End.TIMED_OUT
    return End.CUT_SHORT if began else End.RESET
