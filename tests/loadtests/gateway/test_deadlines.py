"""How gRPC is told what is left."""

import pytest

from loadtests.gateway.deadlines import format_grpc_timeout
from target_service.marks import deadline_s


@pytest.mark.parametrize(
    ("left_s", "said"),
    [
        (0.0, b"0n"),
        (-3.0, b"0n"),
        (0.0005, b"500000n"),
        (0.25, b"250000u"),
        (5.0, b"5000000u"),
        (99.999999, b"99999999u"),
        (100.0, b"100000m"),
        (86_400.0, b"86400000m"),
        (1e9, b"16666666M"),
        (1e99, b"99999999H"),
    ],
)
def test_what_is_left_is_said_in_eight_digits(left_s: float, said: bytes) -> None:
    """In the finest unit that they allow, and never more than there is."""
    assert format_grpc_timeout(left_s) == said
    assert (deadline_s({b"grpc-timeout": said}, 0.0, 0.0) or 0.0) <= max(0.0, left_s)
