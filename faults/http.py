"""One HTTP connection that is kept and mended. Standard library only: it also runs under gevent."""

import http.client
import threading
from urllib.parse import SplitResult, urlsplit

_MAX_ANSWER_BYTES = 64 * 1024 * 1024


def split_url(url: str) -> SplitResult:
    """The parts of an HTTP URL. Raises `ValueError`, saying what is expected."""
    form = 'a URL such as "http://127.0.0.1:8000"'
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"{url[:80]!r} is not {form}") from None
    no_port = port == 0 or parts.netloc.endswith(":")
    if parts.scheme not in {"http", "https"} or not parts.hostname or no_port:
        raise ValueError(f"{url[:80]!r} is not {form}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(f"expected {form}, with no user, query or fragment")
    return parts


class KeptConnection:
    """Sends one call at a time over a connection that stays open between calls.

    It goes straight to the server: proxies named in the environment are not used.
    """

    def __init__(self, url: str, timeout_s: float) -> None:
        """Nothing is opened yet. Raises `ValueError` for what is not an HTTP URL."""
        parts = split_url(url)
        assert parts.hostname is not None  # noqa: S101 - split_url has seen to it
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._path = parts.path.rstrip("/")
        self._connection = kind(parts.hostname, parts.port, timeout=timeout_s)
        self._lock = threading.Lock()

    def call(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], *, again: bool
    ) -> tuple[int, bytes]:
        """The status and the body of the answer. Raises `OSError` and `http.client.HTTPException`.

        The server may have closed a connection that was idle, which shows only when it is used.
        A call that may be made twice (`again`) is then repeated on a new connection; any other
        gets a new connection to begin with.
        """
        with self._lock:
            if not again:
                self._connection.close()
            kept = self._connection.sock is not None
            try:
                return self._exchange(method, path, body, headers)
            except (ConnectionError, http.client.HTTPException):
                if not kept:
                    raise
                return self._exchange(method, path, body, headers)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        try:
            self._connection.request(method, self._path + path, body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read(_MAX_ANSWER_BYTES)
        except BaseException:
            # Half an answer would be read as the next one.
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        with self._lock:
            self._connection.close()
