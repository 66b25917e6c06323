"""One request as one message on the wire: nothing here sends again or follows a redirect.

The standard library's client does neither by itself. It goes straight to the entry: proxies named
in the environment are not used.
"""

import contextlib
import http.client
import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from faults.http import split_url

MAX_ANSWER_BYTES = 1024 * 1024
"""More of an answer is not read: what matters is its head, and whether it ends."""
_BODY = b'{"audit": true}'
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset({"content-length", "transfer-encoding", "connection"})
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class End(StrEnum):
    """How a request ended for its client, in words."""

    ANSWERED = "answered"
    CUT_SHORT = "cut short"
    CLOSED = "closed"
    RESET = "reset"
    TIMED_OUT = "timed out"
    NOT_HTTP = "not HTTP"
    REFUSED = "connection refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the client of one request got, after `elapsed_s` seconds.

    Names of headers are in lower case; `problem` is the system's word where there was no answer.
    """

    end: End
    elapsed_s: float
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


class Sender(Protocol):
    """Sends one request to whatever is audited."""

    def send(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send it, and wait for how it ends."""
        ...


def parse_headers(lines: Iterable[str]) -> dict[str, str]:
    """Headers written ``Name: value``. Raises `ValueError`; the value may be secret: not shown."""
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        plain = line.isascii() and line.isprintable()
        if not colon or not plain or not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"header: {name[:32]!r} is not the beginning of 'Name: value'")
        if name.lower().startswith("x-aftershock-") or name.lower() in _OURS:
            raise ValueError(f"header: {name[:32]} is the audit's own")
        headers[name] = value.strip()
    return headers


class EntrySender:
    """Sends to `path` below a URL, each request on a connection of its own."""

    def __init__(self, entry: str, path: str, timeout_s: float) -> None:
        """Nothing is sent yet. Raises `ValueError` for what is no HTTP URL or no path.

        `timeout_s` bounds a request from connecting to the last byte.
        """
        parts = split_url(entry)
        if not path.startswith("/") or not path.isascii() or not path.isprintable() or " " in path:
            raise ValueError(f"path: {path[:64]!r} is not a path such as /work")
        assert parts.hostname is not None  # noqa: S101 - split_url has seen to it
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + path
        self._timeout_s = timeout_s

    def send(self, method: str, headers: Mapping[str, str]) -> Answer:
        """Send one request and wait for how it ends; what goes wrong is told, not raised."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout_s)
        started_s = time.monotonic()
        try:
            connection.connect()
        except OSError as error:
            refused = isinstance(error, ConnectionRefusedError)
            end = End.REFUSED if refused else End.UNREACHABLE
            return Answer(end, time.monotonic() - started_s, problem=_reason(error))
        left_s = self._timeout_s - (time.monotonic() - started_s)
        with contextlib.closing(connection):
            return self._exchange(connection, method, headers, started_s, left_s)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        headers: Mapping[str, str],
        started_s: float,
        left_s: float,
    ) -> Answer:
        answer: http.client.HTTPResponse | None = None
        end, problem = End.ANSWERED, ""
        body = _BODY if method in _WITH_BODY else None
        with _deadline(connection.sock, left_s) as reached:
            try:
                connection.request(method, self._path, body, _typed(headers, body))
                head = connection.getresponse()
                # Shut in the middle of a head, it would be taken for a whole one.
                answer = None if reached.is_set() else head
                read = head.read(MAX_ANSWER_BYTES)
                if head.length and len(read) < MAX_ANSWER_BYTES:
                    end = End.CUT_SHORT
            except (OSError, http.client.HTTPException) as error:
                end, problem = _end_of(error, began=answer is not None), _reason(error)
            if reached.is_set():
                end, problem = End.TIMED_OUT, ""
        elapsed_s = time.monotonic() - started_s
        if answer is None:
            return Answer(end, elapsed_s, problem=problem)
        said = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(end, elapsed_s, answer.status, said, problem)


def _typed(headers: Mapping[str, str], body: bytes | None) -> dict[str, str]:
    kind = {"Content-Type": "application/json"} if body is not None else {}
    return {**kind, **headers}


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
