"""Until when a caller waits: ``X-Deadline`` and ``grpc-timeout``."""

import math
import re
from collections.abc import Iterable

X_DEADLINE = b"x-deadline"
GRPC_TIMEOUT = b"grpc-timeout"

_DECIMAL = re.compile(rb"[0-9]{1,12}(\.[0-9]{1,9})?")
_TIMEOUT = re.compile(rb"([0-9]{1,8})([HMSmun])")
_UNIT_S = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}
_MOST = 99_999_999
"""Eight digits, all that gRPC allows."""


def deadline_s(
    headers: Iterable[tuple[bytes, bytes]], now_s: float, epoch_s: float
) -> float | None:
    """When the caller gives up, by the clock of `now_s`; None when it does not say.

    ``X-Deadline`` is decimal seconds since 1970, which `epoch_s` is now; ``grpc-timeout`` counts
    from now. The earlier of the two holds. What cannot be read is as good as not said.
    """
    said = []
    for name, value in headers:
        if name == X_DEADLINE and _DECIMAL.fullmatch(value.strip()):
            said.append(now_s + float(value) - epoch_s)
        elif name == GRPC_TIMEOUT and (match := _TIMEOUT.fullmatch(value.strip())):
            said.append(now_s + int(match[1]) * _UNIT_S[match[2]])
    return min(said, default=None)


def format_grpc_timeout(left_s: float) -> bytes:
    """``0.25`` is ``250000u``: at most eight digits, the finest unit they allow, never too long.

    What is over is ``0n``.
    """
    for unit in (b"n", b"u", b"m", b"S", b"M", b"H"):
        number = math.floor(max(0.0, left_s) / _UNIT_S[unit])
        if number <= _MOST:
            return b"%d%s" % (number, unit)
    return b"%dH" % _MOST
