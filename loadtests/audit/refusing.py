"""Makes the target refuse in one lane, and takes that back."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from faults.admin import AdminClient, AdminError
from faults.driver import FaultDriver
from faults.fault import ServiceFault
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
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """The lane must exist."""
        self._admin = admin
        self._lane = lane
        self._longest_s = longest_s
        self._sleep = sleep
        self.take_back_error: AdminError | None = None

    @contextmanager
    def refusing(self, refusal: Refusal) -> Iterator[str]:
        """The target refuses so from the first line of the block to its end, by the fault yielded.

        Raises `AdminError`.

        Faults begin and end with a tick, so that both take a tick's time at most.
        """
        driver = FaultDriver(self._admin, _fault(refusal, self._lane, self._longest_s))
        try:
            with driver as begun:
                self._wait_until(begun.start_s)
                yield begun.id
        finally:
            failed = driver.take_back_error
            if failed is not None and not _gone(failed):
                self.take_back_error = self.take_back_error or failed
        if driver.status is not None and driver.take_back_error is None:
            self._wait_until(driver.status.end_s)

    def _wait_until(self, target_s: float) -> None:
        while (left_s := target_s - self._admin.state().now_s) > 0:
            self._sleep(left_s)


def _gone(failed: AdminError) -> bool:
    """The target was reset meanwhile: the fault has ended with that."""
    return failed.said is not None and failed.said.error == "unknown-fault"


def _fault(refusal: Refusal, lane: str, for_s: float) -> ServiceFault:
    return ServiceFault(
        type=refusal.kind,
        for_s=for_s,
        lanes=(lane,),
        status=refusal.status,
        retry_after_s=refusal.retry_after_s,
    )
