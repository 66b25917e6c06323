"""What the tests of policies share beside the ways to drive them."""

import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def far_from_gmt(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine is five hours from GMT: what reads a date as local time is found out."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "EST5")
        time.tzset()
        yield
    time.tzset()
