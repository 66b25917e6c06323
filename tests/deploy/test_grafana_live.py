"""The dashboard's queries, asked of a real Prometheus that scrapes a real target and Locust."""

import time
from collections.abc import Iterator
from functools import partial

import pytest

from faults.admin import AdminClient
from faults.dip import Dip
from faults.fault import ServiceFault
from tests.deploy.expressions import expressions
from tests.loadtests.control_room.room_live import a_room
from tests.loadtests.live import LOCUSTFILE, a_target
from tests.prometheus.live import Server, prometheus
from tests.real import eventually

pytestmark = pytest.mark.live

FAULT_S = 90.0
LOAD = ("NoRetry", "--autostart", "--users", "1", "--rate-per-user", "20/s", "--dips", "")
SEEN = "aftershock_base_capacity_attempts_per_second"
# A storm outlasts this test's patience, and is made by nobody here.
SILENT = ("ALERTS{",)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Prometheus as it is deployed, while one lane sees a dip and a fault."""
    folder = tmp_path_factory.mktemp("grafana")
    with a_target(folder, capacity_per_s=50.0) as target:
        with a_room(folder, target, "-f", str(LOCUSTFILE), *LOAD) as room:
            with prometheus(folder / "prometheus", target, room.origin) as found:
                eventually(lambda: "no-retry" in found.values(SEEN), "the lane is scraped")
                admin = AdminClient(target)
                admin.begin_fault(ServiceFault("latency", FAULT_S, share=0.1, add_s=0.001))
                admin.begin_dip(Dip("0%", 1.0))
                admin.close()
                yield found


def test_every_query_of_the_dashboard_finds_something(server: Server) -> None:
    """None of its panels stays empty, once a dip has settled."""
    began_epoch_s = time.time() - 5
    asked = [expr for expr in expressions(".*") if not any(word in expr for word in SILENT)]
    assert len(asked) > 25
    for expr in asked:
        eventually(partial(server.has_had, expr, began_epoch_s), expr)


def test_a_query_of_something_else_finds_nothing(server: Server) -> None:
    """The test before tests something."""
    assert not server.has_had("aftershock_ofered_attempts_total", time.time() - 60)
