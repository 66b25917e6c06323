"""Every policy of the catalogue comes through a storm."""

import pytest

from loadtests.policies import PRESETS
from tests.loadtests.simulation.events.scenes import QUEUE, REJECT, one_lane
from tests.loadtests.simulation.events.test_conservation import check_clients, check_service


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("target", [REJECT, QUEUE], ids=["reject", "queue"])
def test_every_preset_is_played(name: str, target: dict[str, object]) -> None:
    """With its defaults: refusals, timeouts and errors, and requests succeed before and after."""
    lane = one_lane(
        policy={"name": name},
        target={**target, "retry_after": "1s", "pushback": "100ms"},
        warm_up="1s",
        observation="4s",
        dips=[{"capacity": "0/s", "for": "1s"}],
        simulation={"network": "10ms"},
        faults=[{"type": "error", "at": "3s", "for": "500ms", "share": "50%"}],
    )
    check_service(lane)
    check_clients(lane)
    failures = {reason: int(counts.sum()) for reason, counts in lane.clients.failed.items()}
    assert lane.clients.succeeded[:8].sum() >= 12
    assert lane.clients.succeeded.sum() + sum(failures.values()) <= lane.clients.issued.sum()
