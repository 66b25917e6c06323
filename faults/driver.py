"""Makes something happen at the target, and takes it back when the maker is stopped."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from faults.action import OperatorAction
from faults.admin import AdminClient, AdminError, TargetState
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.signals import StopSignals
from faults.statuses import ActionStatus, DipStatus, FaultStatus

SHORTEST_S, LONGEST_S = 0.1, 1.0
"""How long to wait before the target is asked again."""

StatusT = TypeVar("StatusT", DipStatus, FaultStatus, ActionStatus)


class Driver(ABC, Generic[StatusT]):
    """``with driver as planned:`` it is made, and is over when the block is left.

    However it is left (an error, Ctrl-C, SIGTERM, SIGHUP), what has not ended is taken back.
    Nothing can take it back after SIGKILL; it then ends at the target by itself.
    """

    kind: str
    """What it makes happen, for people."""
    longest_s: float = LONGEST_S

    def __init__(self, client: AdminClient, after_s: float) -> None:
        """It is to begin `after_s` seconds after the ``with`` is entered."""
        self._client = client
        self._after_s = after_s
        self._signals = StopSignals()
        self.planned: StatusT | None = None
        """As it was when it was made."""
        self.status: StatusT | None = None
        self.state: TargetState | None = None
        self.take_back_error: AdminError | None = None

    def remark(self, _state: TargetState) -> str:
        """What is to be said of it when it begins; mostly nothing."""
        return ""

    @abstractmethod
    def _begin(self) -> StatusT:
        """Plan it at the target."""

    @abstractmethod
    def _end(self, given: str) -> StatusT:
        """End what has this id."""

    @abstractmethod
    def _among(self, state: TargetState) -> Sequence[StatusT]:
        """What the target knows of this kind."""

    def __enter__(self) -> StatusT:
        """Plan it and return what is planned.

        Raises `AdminError`, and `StoppedBySignalError` from here on.
        """
        self._signals.install()
        try:
            # A signal in the middle of the call would leave a thing whose id nobody knows.
            with self._signals.held():
                planned = self.planned = self.status = self._begin()
        except BaseException:
            self._take_back()
            self._signals.restore()
            raise
        return planned

    def __exit__(self, *_: object) -> None:
        try:
            with self._signals.held():
                self._take_back()
        finally:
            self._signals.restore()

    def _take_back(self) -> None:
        if self.status is None or self.status.over:
            return
        try:
            self.status = self._end(self.status.id)
        except AdminError as failed:
            # Whatever made us stop matters more; it ends by itself in any case.
            self.take_back_error = failed

    def follow(
        self, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[tuple[StatusT, float]]:
        """How it stands and the target's clock, until it is over.

        Asked again when it is to begin or to end, and before that at `longest_s` each: a service
        may write a line into a log for each call. Raises `AdminError`, also when the target no
        longer knows it.
        """
        while self.status is not None:
            state = self._client.state()
            known = {status.id: status for status in self._among(state)}
            if self.status.id not in known:
                raise AdminError(f"the target no longer knows {self.status.id}: it was reset")
            self.status, self.state = known[self.status.id], state
            yield self.status, state.now_s
            if self.status.over:
                return
            sleep(self._pause_s(self.status, state.now_s))

    def _pause_s(self, status: StatusT, now_s: float) -> float:
        change_s = status.start_s if status.state == "pending" else status.end_s
        return min(max(change_s - now_s, SHORTEST_S), self.longest_s)


class DipDriver(Driver[DipStatus]):
    """Makes a dip."""

    kind = "dip"

    def __init__(self, client: AdminClient, dip: Dip, after_s: float = 0.0) -> None:
        """The dip is to begin `after_s` seconds after the ``with`` is entered."""
        super().__init__(client, after_s)
        self._dip = dip

    def remark(self, state: TargetState) -> str:
        """Whether it lowers nothing, having asked for all that there is, or for more.

        Nothing is said of a ramp, which begins with all there is, nor where there is no lane yet.
        """
        ours = self._dip.lanes
        lanes = [lane for name, lane in state.lanes.items() if ours is None or name in ours]
        lowered = any(lane.in_force_per_s < lane.capacity_per_s for lane in lanes)
        if not lanes or lowered or self._dip.shape == "ramp":
            return ""
        return "that lowers nothing: as much or more was there already"

    def _begin(self) -> DipStatus:
        return self._client.begin_dip(self._dip, self._after_s)

    def _end(self, given: str) -> DipStatus:
        return self._client.end_dip(given)

    def _among(self, state: TargetState) -> Sequence[DipStatus]:
        return state.dips


class FaultDriver(Driver[FaultStatus]):
    """Makes a fault."""

    kind = "fault"

    def __init__(self, client: AdminClient, fault: ServiceFault, after_s: float = 0.0) -> None:
        """The fault is to begin `after_s` seconds after the ``with`` is entered."""
        super().__init__(client, after_s)
        self._fault = fault

    def _begin(self) -> FaultStatus:
        return self._client.begin_fault(self._fault, self._after_s)

    def _end(self, given: str) -> FaultStatus:
        return self._client.end_fault(given)

    def _among(self, state: TargetState) -> Sequence[FaultStatus]:
        return state.faults


class ActionDriver(Driver[ActionStatus]):
    """Makes an operator's action."""

    kind = "action"

    def __init__(self, client: AdminClient, action: OperatorAction, after_s: float = 0.0) -> None:
        """The action is to begin `after_s` seconds after the ``with`` is entered."""
        super().__init__(client, after_s)
        self._action = action
        if action.action == "reopen":
            self.longest_s = SHORTEST_S  # its steps are told when they are seen

    def _begin(self) -> ActionStatus:
        return self._client.begin_action(self._action, self._after_s)

    def _end(self, given: str) -> ActionStatus:
        return self._client.end_action(given)

    def _among(self, state: TargetState) -> Sequence[ActionStatus]:
        return state.actions
