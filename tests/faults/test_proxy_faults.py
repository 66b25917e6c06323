"""Faults at a target that is a proxy: the service behind it is not the one that fails."""

from collections.abc import Iterator

import pytest

from faults.action import OperatorAction
from faults.admin import AdminClient
from faults.fault import ServiceFault
from tests.faults.test_strikes_live import acting, lane_ticks, striking, total
from tests.target_service.live import LiveTarget, live_target
from tests.target_service.raw import answer_of

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def targets() -> Iterator[tuple[LiveTarget, LiveTarget]]:
    """A proxy, and the service behind it."""
    with live_target("--tick", "20ms", "--capacity", "1000/s") as behind:
        options = ("--tick", "20ms", "--capacity", "1000/s", "--upstream", behind.url)
        with live_target(*options) as proxy:
            yield proxy, behind


def test_what_the_proxy_is_told_to_do_wrong_befalls_its_clients(
    targets: tuple[LiveTarget, LiveTarget],
) -> None:
    """A cut answer was whole behind it; what is reset, failed or blocked never got there."""
    proxy, behind = targets
    client, upstream = AdminClient(proxy.url), AdminClient(behind.url)
    client.register_lanes(["a"])
    upstream.register_lanes(["a"])
    with striking(client, ServiceFault("cut", 60)):
        cut = answer_of(proxy.port)
    with striking(client, ServiceFault("reset", 60)):
        reset = answer_of(proxy.port)
    with striking(client, ServiceFault("error", 60, status=599)):
        failed = answer_of(proxy.port)
    with acting(client, OperatorAction("shed", 60, share=1.0)):
        blocked = answer_of(proxy.port)
    assert (cut.status, cut.header("content-length"), cut.body) == (200, "15", b'{"work"')
    assert (reset.was_reset, failed.status, blocked.status) == (True, 599, 503)
    ticks, behind_it = lane_ticks(client), lane_ticks(upstream)
    assert total([tick.failed for tick in ticks]) == 3
    assert total([tick.blocked for tick in ticks]) == 1
    assert total([tick.completed for tick in behind_it]) == 1
    assert total([tick.offered for tick in behind_it]) == 1
    client.close()
    upstream.close()
