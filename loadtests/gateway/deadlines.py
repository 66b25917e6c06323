"""How ``grpc-timeout`` says what is left until a deadline."""

import math

from target_service.marks import GRPC_UNITS_S

_MOST = 99_999_999
"""Eight digits, all that gRPC allows."""


def format_grpc_timeout(left_s: float) -> bytes:
    """``0.25`` is ``250000u``: at most eight digits, the finest unit they allow, never too long.

    What is over is ``0n``.
    """
    for unit, seconds in GRPC_UNITS_S.items():
        number = math.floor(max(0.0, left_s) / seconds)
        if number <= _MOST:
            return b"%d%s" % (number, unit)
    return b"%dH" % _MOST
