"""Makes the target refuse in one lane, and takes that back."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from faults.admin import AdminClient, AdminError
from faults.fault import ServiceFault
from faults.signals import StopSignals
from loadtests.audit.refusals import Refusal


class Refuser:
    """Has one fault in force at a time. However it is left, the fault is taken back.

    Nothing can take it back after SIGKILL; it then ends at the target by itself, `longest_s`
    seconds after it began.
    """

    def __init__(
        self,
        admin: AdminClient,
        lane: str,
        longest_s: float,
        signals: StopSignals,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """The lane must exist. `signals` that come in the middle of a call wait for its end."""
        self._admin = admin
        self._lane = lane
        self._longest_s = longest_s
        self._signals = signals
        self._sleep = sleep
        self.take_back_error: AdminError | None = None

    @contextmanager
    def refusing(self, refusal: Refusal) -> Iterator[None]:
        """The target refuses so from the first line of the block to its end. Raises `AdminError`.

        Faults begin and end with a tick, so that both take a tick's time at most.
        """
        fault = _fault(refusal, self._lane, self._longest_s)
        fault_id = None
        try:
            # A signal in the middle of the call would leave a fault whose id nobody knows.
            with self._signals.held():
                begun = self._admin.begin_fault(fault)
                fault_id = begun.id
            self._wait_until(begun.start_s)
            yield
        finally:
            end_s = self._take_back(fault_id)
        self._wait_until(end_s)

    def _take_back(self, fault_id: str | None) -> float:
        """When the fault is over, seconds of the target's clock."""
        if fault_id is None:
            return 0.0
        try:
            with self._signals.held():
                return self._admin.end_fault(fault_id).end_s
        except AdminError as failed:
            # Whatever made us stop matters more; the fault ends by itself in any case.
            self.take_back_error = failed
            return 0.0

    def _wait_until(self, target_s: float) -> None:
        while (left_s := target_s - self._admin.state().now_s) > 0:
            self._sleep(left_s)


def _fault(refusal: Refusal, lane: str, for_s: float) -> ServiceFault:
    return ServiceFault(
        type=refusal.kind,
        for_s=for_s,
        lanes=(lane,),
        status=refusal.status,
        retry_after_s=refusal.retry_after_s,
    )
