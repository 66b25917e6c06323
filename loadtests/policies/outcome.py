"""What became of one attempt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class AttemptError(StrEnum):
    """Why an attempt got no answer."""

    TIMEOUT = "timeout"
    CONNECT_TIMEOUT = "connect timeout"
    REFUSED = "refused"
    RESET = "reset"
    CLOSED = "closed without an answer"
    NOT_HTTP = "answer is not HTTP"
    UNREACHABLE = "unreachable"
    REJECTED = "rejected by the client itself"
    """It was never sent: a breaker or a throttle of the client's own stood before it."""


CONNECT_ERRORS = frozenset(
    {AttemptError.CONNECT_TIMEOUT, AttemptError.REFUSED, AttemptError.UNREACHABLE}
)
"""The service cannot have begun on such an attempt, so a second one is safe by any method."""
TRANSPORT_ERRORS = frozenset(AttemptError) - {AttemptError.REJECTED}

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The status of an attempt, or the error that it met instead of one.

    Exactly one of `status` and `error` is set. `elapsed_s` runs from the attempt's sending to its
    last byte. `headers` are those of the answer, their names in lower case. `received_epoch_s` is
    the wall-clock time of the answer, for headers that name a date.
    """

    status: int | None
    elapsed_s: float = 0.0
    error: AttemptError | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: _NO_HEADERS, hash=False)
    received_epoch_s: float = 0.0

    def __post_init__(self) -> None:
        """Raises `ValueError` unless exactly one of status and error is set."""
        if (self.status is None) == (self.error is None):
            raise ValueError("an outcome has either a status or an error")

    @property
    def succeeded(self) -> bool:
        """An answer came, and it was no error: neither by its status nor by its ``grpc-status``."""
        if self.status is None or self.status >= 400:
            return False
        return self.headers.get("grpc-status", "0") == "0"

    @property
    def kind(self) -> int | AttemptError:
        """The status, or the error."""
        if self.status is not None:
            return self.status
        assert self.error is not None  # noqa: S101 - exactly one of the two is set
        return self.error


REJECTED = Outcome(status=None, error=AttemptError.REJECTED)
"""What becomes of an attempt that the client itself did not let out."""
