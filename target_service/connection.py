"""What ASGI has no word for: to reset the connection of a request, or to close it in the middle.

A server of ours puts a `Connection` into ``scope["extensions"]["aftershock.connection"]``.
"""

from typing import Protocol, cast

from starlette.types import Scope

EXTENSION = "aftershock.connection"


class Connection(Protocol):
    """The connection that a request came on. After either call nothing more can be sent on it.

    The server shall then take the client for gone: what is sent is swallowed.
    """

    @property
    def gone(self) -> bool:
        """Whether the client has gone, as far as the server knows."""

    def reset(self) -> None:
        """End it with a RST at once; what was not yet sent is lost."""

    def close(self) -> None:
        """End it once what was written is sent, whatever was promised to come."""


def connection_of(scope: Scope) -> Connection | None:
    """The connection of a request, where the server gives it away."""
    return cast("Connection | None", (scope.get("extensions") or {}).get(EXTENSION))
