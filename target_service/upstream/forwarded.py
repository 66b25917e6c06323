"""What a proxy changes in the headers that it passes on, and the answers it gives by itself."""

import re
from typing import Final

from starlette.types import Scope

from target_service.error_body import error_body
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind
from target_service.upstream.headers import Headers, end_to_end

VIA: Final = (b"via", b"1.1 aftershock")
"""The received protocol and a name (RFC 9110 §7.6.3)."""

TARGET: Final = "aftershock.target"
"""In the scope: the request target as it came, which `raw_path` and `query_string` do not quite
tell: a last ``?`` with nothing behind it is in neither."""

_FOR, _PROTO = b"x-forwarded-for", b"x-forwarded-proto"
_MARKS = frozenset({_FOR, _PROTO})
_LATE = frozenset({UpstreamErrorKind.TIMEOUT, UpstreamErrorKind.CONNECT_TIMEOUT})
_WITHOUT_A_BODY = frozenset({204, 304})


def request_target(scope: Scope) -> bytes:
    """Path and query, byte by byte as they came."""
    target: bytes | None = scope.get(TARGET)
    if target is not None and target.startswith(b"/") and b"#" not in target:
        return target
    path: bytes = scope["raw_path"]
    query: bytes = scope["query_string"]
    return path + b"?" + query if query else path


def host_of(target: bytes) -> bytes | None:
    """The host that a target in absolute form names, as in ``GET http://host/path``."""
    if target.startswith(b"/") or b"://" not in target:
        return None
    authority = re.split(rb"[/?#]", target.partition(b"://")[2], maxsplit=1)[0]
    return authority.rpartition(b"@")[2]


def request_headers(headers: Headers, client: str, scheme: str) -> list[tuple[bytes, bytes]]:
    """Those for the upstream: end to end, and where the request came from.

    `client` is added to the addresses in X-Forwarded-For. X-Forwarded-Proto is `scheme` unless it
    is said: whoever stands before us knows better. Host stays.
    """
    passed = end_to_end(headers)
    before, proto, marked = b"", scheme.encode(), False
    for name, value in passed:
        if name == _FOR:
            before, marked = before + value + b", ", True
        elif name == _PROTO:
            proto, marked = value, True
    if marked:
        passed = [header for header in passed if header[0] not in _MARKS]
    passed += ((_FOR, before + client.encode()), (_PROTO, proto), VIA)
    return passed


def answer_headers(status: int, headers: Headers) -> list[tuple[bytes, bytes]]:
    """Those for the client: end to end."""
    passed = end_to_end(headers)
    if status in _WITHOUT_A_BODY:
        # The length is of the body that there would have been; servers of ASGI wait for it.
        passed = [header for header in passed if header[0] != b"content-length"]
    passed.append(VIA)
    return passed


def failure(error: UpstreamError) -> tuple[int, bytes]:
    """The status and the JSON body of what we answer in the upstream's place."""
    status = 504 if error.kind in _LATE else 502
    return status, error_body(f"upstream-{error.kind}", str(error))
