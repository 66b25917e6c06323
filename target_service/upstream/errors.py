"""What can go wrong between us and the upstream, told apart."""

from enum import StrEnum


class UpstreamErrorKind(StrEnum):
    """Why no answer came, or no whole one."""

    REFUSED = "refused"
    """Nobody listens there."""
    UNREACHABLE = "unreachable"
    """No route, no such name, no descriptor left, or no agreement on TLS."""
    CONNECT_TIMEOUT = "connect-timeout"
    TIMEOUT = "timeout"
    """Connected and sent, but no head of an answer within the time given."""
    RESET = "reset"
    """The connection was reset before the answer was whole."""
    CLOSED = "closed"
    """The connection was closed before the answer was whole."""
    NOT_HTTP = "not-http"
    """What came is not an HTTP/1 answer, or its head has no end."""


class UpstreamError(Exception):
    """The exchange has failed; its connection is closed. Nothing has been sent a second time."""

    def __init__(self, kind: UpstreamErrorKind, detail: str = "") -> None:
        super().__init__(f"upstream {kind}: {detail}" if detail else f"upstream {kind}")
        self.kind = kind


def kind_of_loss(error: BaseException | None) -> UpstreamErrorKind:
    """What it is called when a connection that was open ends with this."""
    return UpstreamErrorKind.CLOSED if error is None else UpstreamErrorKind.RESET
