"""Where the upstream is, and how a connection to it is made."""

import asyncio
import re
import ssl
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from target_service.upstream.errors import UpstreamError, UpstreamErrorKind

_SECRET = re.compile(r"//[^/]*@")

Protocol = TypeVar("Protocol", bound=asyncio.Protocol)


class Address:
    """An http or https URL: host, port, the path before every path."""

    __slots__ = ("_connect_timeout_s", "_tls", "host", "netloc", "port", "prefix", "url")

    def __init__(self, url: str, connect_timeout_s: float = 5.0) -> None:
        """Raises `ValueError` for what is no http or https URL with a host and no more."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if (
            not host
            or parts.scheme not in {"http", "https"}
            or parts.query
            or parts.fragment
            or parts.username is not None
            or not (url.isascii() and url.isprintable() and " " not in url)
            or port == 0
        ):
            shown = _SECRET.sub("//…@", url[:100])
            raise ValueError(f"{shown!r} is no upstream: expected a URL such as http://host:8080")
        self.url = url
        self.host = host
        self.port = port or (443 if parts.scheme == "https" else 80)
        self.netloc = parts.netloc.encode()
        self.prefix = parts.path.rstrip("/").encode()
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._connect_timeout_s = connect_timeout_s

    async def open(self, protocol: Callable[[], Protocol]) -> Protocol:
        """A new connection. Raises `UpstreamError`."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                _, made = await loop.create_connection(
                    protocol, self.host, self.port, ssl=self._tls
                )
                return made
        except OSError as error:
            detail = f"{self.url}: {error.strerror or error}"
            raise UpstreamError(_kind_of_failure(error), detail) from error


def _kind_of_failure(error: OSError) -> UpstreamErrorKind:
    match error:
        case TimeoutError():
            return UpstreamErrorKind.CONNECT_TIMEOUT
        case ConnectionRefusedError():
            return UpstreamErrorKind.REFUSED
        case ConnectionResetError() | BrokenPipeError():
            return UpstreamErrorKind.RESET
        case _:
            return UpstreamErrorKind.UNREACHABLE
