"""What tests of several verbs need."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture(params=[signal.SIGTERM, signal.SIGHUP])
def told_to_end(request: pytest.FixtureRequest) -> Iterator[Callable[[], None]]:
    """Called it sends this process what ends others; where nothing listens, nothing happens."""
    number: signal.Signals = request.param
    before = signal.signal(number, signal.SIG_IGN)
    yield lambda: os.kill(os.getpid(), number)
    signal.signal(number, before)
