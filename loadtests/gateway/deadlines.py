"""How ``grpc-timeout`` says what is left until a deadline."""

import math

_UNITS_S = {b"n": 1e-9, b"u": 1e-6, b"m": 1e-3, b"S": 1.0, b"M": 60.0, b"H": 3600.0}
_MOST = 99_999_999
"""Eight digits, all that gRPC allows."""


def format_grpc_timeout(left_s: float) -> bytes:
    """``0.25`` is ``250000u``: at most eight digits, the finest unit they allow, never too long.

    What is over is ``0n``.
    """
    for unit, seconds in _UNITS_S.items():
        number = math.floor(max(0.0, left_s) / seconds)
        if number <= _MOST:
            return b"%d%s" % (number, unit)
    return b"%dH" % _MOST
