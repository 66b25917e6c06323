"""What the live tests of the audit share."""

from collections.abc import Iterator

import pytest

from tests.loadtests.audit.audited import QUICK
from tests.target_service.live import LiveTarget, live_target


@pytest.fixture(scope="session")
def target() -> Iterator[LiveTarget]:
    """One target for all: every audit takes back what it did."""
    with live_target(*QUICK) as started:
        yield started
