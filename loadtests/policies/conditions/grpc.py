"""The gRPC status of an attempt: of the answer's own, or as gRPC maps HTTP to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.policies.call import Call
from loadtests.policies.outcome import AttemptError, Outcome
from loadtests.policies.units import listing

GRPC_CODES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
"""By number: grpc/grpc `doc/statuscodes.md`."""
_BY_NUMBER = {str(number): name for number, name in enumerate(GRPC_CODES)}

_FROM_HTTP = {
    400: "INTERNAL",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "UNIMPLEMENTED",
    429: "UNAVAILABLE",
    431: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
}
"""grpc/grpc `doc/http-grpc-status-mapping.md`; every other status is UNKNOWN."""

_FROM_ERROR = {AttemptError.TIMEOUT: "DEADLINE_EXCEEDED", AttemptError.REJECTED: "CANCELLED"}
"""Every other error is UNAVAILABLE: the connection broke, or there never was one."""


def grpc_status(outcome: Outcome) -> str:
    """The name of the status.

    An answer below 400 without a ``grpc-status`` is OK: our services speak HTTP. (A gRPC client
    calls it UNKNOWN.)
    """
    if outcome.error is not None:
        return _FROM_ERROR.get(outcome.error, "UNAVAILABLE")
    said = outcome.headers.get("grpc-status")
    if said is not None:
        return _BY_NUMBER.get(said.strip(), "UNKNOWN")
    status = outcome.status or 0
    return _FROM_HTTP.get(status, "UNKNOWN") if status >= 400 else "OK"


@dataclass(frozen=True, slots=True)
class GrpcCodes:
    """Retry where the gRPC status is one of these."""

    codes: frozenset[str]

    def retries(self, call: Call, outcome: Outcome, seen: Mapping[int | AttemptError, int]) -> bool:
        """By the status alone: gRPC has no methods that are safe by themselves."""
        return grpc_status(outcome) in self.codes

    def describe(self) -> str:
        """As in ``ABORTED, UNAVAILABLE``."""
        return listing(self.codes)
