"""What an attempt says of itself in its headers."""

from collections.abc import Iterable
from typing import Final

from target_service.limits import MAX_ATTEMPT
from target_service.service.jobs import DEFAULT_PRIORITY, Job

DEFAULT_LANE = b"default"
LANE_HEADER = b"x-aftershock-lane"
ATTEMPT_HEADER = b"x-aftershock-attempt"
ENVOY_HEADER = b"x-envoy-attempt-count"
GRPC_HEADER = b"grpc-previous-rpc-attempts"
PRIORITY_HEADER = b"x-priority"
DEADLINE_HEADER = b"x-deadline"
GRPC_TIMEOUT_HEADER = b"grpc-timeout"
TRACE_HEADER = b"x-aftershock-trace"

GRPC_UNITS_S: Final = {
    b"n": 1e-9, b"u": 1e-6, b"m": 1e-3, b"S": 1.0, b"M": 60.0, b"H": 3600.0
}  # fmt: skip
"""The units of ``grpc-timeout``, the finest first."""
_READ = frozenset(
    {
        LANE_HEADER,
        ATTEMPT_HEADER,
        ENVOY_HEADER,
        GRPC_HEADER,
        PRIORITY_HEADER,
        DEADLINE_HEADER,
        GRPC_TIMEOUT_HEADER,
        TRACE_HEADER,
    }
)

_LONGEST_DEADLINE = 40

Marks = dict[bytes, bytes]


def read_marks(headers: Iterable[tuple[bytes, bytes]]) -> Marks:
    """The headers that are looked at; of one that is repeated, the last.

    Blanks around a value are no part of it (RFC 9110, 5.5).
    """
    return {name: value.strip(b" \t") for name, value in headers if name in _READ}


def _number(value: bytes) -> int | None:
    return int(value) if value.isdigit() and len(value) <= 9 else None


def attempt_number(marks: Marks) -> int:
    """Which attempt of its request this is, from 1; 0 when it is not said or makes no sense.

    The header of our own goes first, then Envoy's, then gRPC's, which counts *previous* attempts.
    """
    if ATTEMPT_HEADER in marks:
        number = _number(marks[ATTEMPT_HEADER]) or 0
    elif ENVOY_HEADER in marks:
        number = _number(marks[ENVOY_HEADER]) or 0
    elif GRPC_HEADER in marks:
        previous = _number(marks[GRPC_HEADER])
        number = 0 if previous is None else previous + 1
    else:
        return 0
    return min(number, MAX_ATTEMPT)


def numbers_said(marks: Marks) -> tuple[tuple[str, int], ...]:
    """What each header that counts attempts says for itself, by its name, where it is a number."""
    said = []
    for name in (ATTEMPT_HEADER, ENVOY_HEADER, GRPC_HEADER):
        number = _number(marks[name]) if name in marks else None
        if number is not None:
            said.append((name.decode("ascii"), number))
    return tuple(said)


def priority(marks: Marks) -> int:
    """From 0, the most urgent, to 7; what is not said or makes no sense is 3 (RFC 9218)."""
    said = marks.get(PRIORITY_HEADER)
    number = None if said is None else _number(said)
    return DEFAULT_PRIORITY if number is None or number > 7 else number


def deadline_s(marks: Marks, now_s: float, epoch_s: float) -> float | None:
    """When the client will have given up, on the clock whose time is `now_s`; None: not said.

    ``X-Deadline`` is seconds since 1970, ``grpc-timeout`` counts from now; the earlier one holds.
    """
    found = []
    if (said := marks.get(DEADLINE_HEADER)) is not None and len(said) <= _LONGEST_DEADLINE:
        whole, _, fraction = said.partition(b".")
        if whole.isdigit() and (not fraction or fraction.isdigit()):
            found.append(now_s + float(said) - epoch_s)
    if (said := marks.get(GRPC_TIMEOUT_HEADER)) is not None:
        number, unit_s = _number(said[:-1]), GRPC_UNITS_S.get(said[-1:])
        if number is not None and unit_s is not None:
            found.append(now_s + number * unit_s)
    return min(found, default=None)


def job_of(marks: Marks) -> Job:
    """The attempt as the service sees it, without its deadline."""
    return Job(attempt_number(marks), priority(marks))
