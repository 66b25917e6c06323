"""Who may use the admin API, decided before anything of a call is read."""

import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service.admin.errors import error_response
from target_service.limits import MAX_BODY_BYTES
from target_service.paths import Subtrees, path_below_mount

PREFIX = "/admin"
_ADMIN = Subtrees([PREFIX])

# A proxy on this machine makes the whole world look like loopback. Not all say that they are there.
_PROXY_HEADERS = frozenset({
    b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-real-ip",
    b"via",
})  # fmt: skip


def is_loopback(host: str) -> bool:
    """Whether `host` is a loopback address or ``localhost``."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _hostname(netloc: bytes) -> str:
    try:
        return urlsplit(f"//{netloc.decode('latin-1')}").hostname or ""
    except ValueError:
        return ""


class Door:
    """ASGI middleware in front of the admin API: the token, or loopback only; bounded bodies."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or path_below_mount(scope) not in _ADMIN:
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._bounded(headers, scope, receive, send)
            return
        challenge = {"WWW-Authenticate": "Bearer"} if refusal == "token-needed" else None
        await error_response(refusal, headers=challenge)(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> str | None:
        """The error that keeps this call out, or None."""
        origin = headers.get(b"origin")
        if origin is not None and origin.partition(b"://")[2] != headers.get(b"host"):
            return "foreign-origin"
        if self._expected is not None:
            said = headers.get(b"authorization", b"")
            return None if hmac.compare_digest(said, self._expected) else "token-needed"
        client = scope.get("client")
        # A name that merely resolves to loopback is how a foreign page gets here (DNS rebinding).
        local = client is not None and is_loopback(client[0])
        named = is_loopback(_hostname(headers.get(b"host", b"")))
        if not local or not named or _PROXY_HEADERS & headers.keys():
            return "loopback-only"
        return None

    async def _bounded(
        self, headers: Mapping[bytes, bytes], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Pass the call on, but never more of its body than is allowed.

        FastAPI's own limit would do, but answers in plain text where all else is JSON.
        """
        read = 0

        async def bounded_receive() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MAX_BODY_BYTES:
                raise HTTPException(413)
            return message

        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 9 or int(length) > MAX_BODY_BYTES:
            await error_response("too-large")(scope, receive, send)
        else:
            await self._app(scope, bounded_receive, send)
