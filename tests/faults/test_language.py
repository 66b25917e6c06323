"""What the client asks for is what the target understands and says again, without a loss."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from faults.action import OperatorAction
from faults.asking import ask_action, ask_dip, ask_fault
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.statuses import ActionStatus, DipStatus, FaultStatus
from tests.target_service.test_admin import Service


@pytest.fixture
def service() -> Service:
    """A target with workers and a lane."""
    made = Service(workers="10", service_time="100ms")
    made("POST", "/admin/lanes", {"lanes": ["a"]})
    return made


def planned(service: Service, path: str, asked: Any, status: Any) -> Any:
    """How the target says it stands what it was asked for."""
    response = service("POST", f"/admin/{path}", dict(asked))
    assert response.status == 201, response.body
    return TypeAdapter(status).validate_json(response.body)


@pytest.mark.parametrize(
    "fault",
    [
        ServiceFault("latency", 5.0, add_s=0.2, spread_s=0.05, share=0.5),
        ServiceFault("latency", 1.25, add_s=0.0, spread_s=0.5, lanes=("a",)),
        ServiceFault("error", 5.0, status=429, retry_after_s=2.0, share=1 / 3),
        ServiceFault("error", 5.0, share=0.001),
        ServiceFault("hang", 5.0),
        ServiceFault("reset", 5.0),
        ServiceFault("cut", 3600.0),
    ],
)
def test_a_fault_comes_through(service: Service, fault: ServiceFault) -> None:
    """Every type with every option."""
    status: FaultStatus = planned(service, "faults", ask_fault(fault, 60.0), FaultStatus)
    assert (status.type, status.for_s, status.lanes) == (fault.type, fault.for_s, fault.lanes)
    assert (status.text, status.state) == (fault.text, "pending")
    assert (status.start_s, status.what) == (60.0, f"{fault.type} {fault.text}")


@pytest.mark.parametrize(
    "action",
    [
        OperatorAction("shed", 10.0, share=0.9),
        OperatorAction("block-retries", 10.0, lanes=("a",)),
        OperatorAction("reopen", 600.0),
        OperatorAction("reopen", 60.0, step=1 / 3, every_s=0.5, max_errors=0.0),
    ],
)
def test_an_action_comes_through(service: Service, action: OperatorAction) -> None:
    """Every action with every option; the target's defaults are those of the client."""
    status: ActionStatus = planned(service, action.action, ask_action(action, 0.0), ActionStatus)
    assert (status.action, status.for_s, status.lanes) == (
        action.action,
        action.for_s,
        action.lanes,
    )
    assert status.text == action.text
    assert status.what == f"{action.action} {action.text}"
    assert not status.all_open


@pytest.mark.parametrize(
    ("dip", "what"),
    [
        (Dip("20%", 2.0, shape="ramp", lanes=("a",)), "20%"),
        (Dip("20/s", 2.0, slow_start_s=5.0), "20/s, slow start 5s"),
        (Dip(None, 2.0, workers=2), "2 workers"),
        (Dip(None, 2.0, workers=1), "1 worker"),
        (Dip(None, 2.0, service_time_s=0.25), "service time 250ms"),
    ],
)
def test_a_dip_comes_through(service: Service, dip: Dip, what: str) -> None:
    """By capacity, workers or service time; its slow start belongs to it."""
    status: DipStatus = planned(service, "dips", ask_dip(dip, 0.0), DipStatus)
    assert (status.for_s, status.lanes, status.shape) == (dip.for_s, dip.lanes, dip.shape)
    assert (status.what, dip.text) == (what, what)
    assert round(status.end_s - status.start_s, 6) == dip.for_s + dip.slow_start_s
