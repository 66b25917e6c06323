"""A target that does whatever it is asked, and remembers it: acts are tested without a real one."""

from dataclasses import replace

from faults.action import OperatorAction
from faults.admin import ActionStatus, AdminClient, DipStatus, FaultStatus, TargetState
from faults.dip import Dip
from faults.fault import ServiceFault

NOON_S = 12 * 3600.0
STATE = TargetState(100.0, NOON_S, 0.1, 7, 100.0, {}, (), "0.1.0")
DIP = DipStatus("dip-1", 100.04, 102.04, "20%", 2.0, None, "step", "active")
FAULT = FaultStatus("fault-1", 100.0, 102.0, "latency", 2.0, ("a",), "active", 1.0, 0.2)
ACTION = ActionStatus("action-1", 100.0, 700.0, "reopen", 600.0, ("a", "b"), "active")


class ObedientTarget(AdminClient):
    """Its clock is 12:00 at 100 s. `fails` is raised in place of an answer."""

    def __init__(self, fails: Exception | None = None) -> None:
        super().__init__("http://127.0.0.1:1")
        self.fails = fails
        self.asked: list[object] = []
        self.closed = 0

    def _did(self, *what: object) -> None:
        self.asked.append(what)
        if self.fails is not None:
            raise self.fails

    def state(self) -> TargetState:
        return STATE

    def begin_dip(self, dip: Dip, after_s: float = 0.0) -> DipStatus:
        self._did("dip", dip, after_s)
        return DIP

    def begin_fault(self, fault: ServiceFault, after_s: float = 0.0) -> FaultStatus:
        self._did("fault", fault, after_s)
        return FAULT

    def begin_action(self, action: OperatorAction, after_s: float = 0.0) -> ActionStatus:
        self._did("action", action, after_s)
        return ACTION

    def end_dip(self, dip_id: str) -> DipStatus:
        self._did("end dip", dip_id)
        return replace(DIP, id=dip_id, state="ended", end_s=101.0)

    def end_fault(self, fault_id: str) -> FaultStatus:
        self._did("end fault", fault_id)
        return replace(FAULT, state="cancelled")

    def end_action(self, action_id: str) -> ActionStatus:
        self._did("end action", action_id)
        return replace(ACTION, state="ended")

    def set_capacity(self, rate_per_s: float, lanes: object = None) -> TargetState:
        self._did("capacity", rate_per_s, lanes)
        return STATE

    def reset(self) -> TargetState:
        self._did("reset")
        return STATE

    def close(self) -> None:
        self.closed += 1
