"""Gives the audit's lane a capacity that nobody meets: a layer may retry without a wait."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from faults.admin import AdminClient, AdminError
from faults.dip import HIGHEST_PER_S
from faults.signals import StopSignals


class Raiser:
    """Raises the lane's capacity, and sets it back to what it was however the block is left.

    What somebody else has set meanwhile stays. Nothing can set it back after SIGKILL: the next
    audit of the lane then finds it raised, says so (`found_raised_per_s`), and sets it to what the
    target's lanes usually have. Workers and a queue are left as they are.
    """

    def __init__(
        self,
        admin: AdminClient,
        lane: str,
        signals: StopSignals,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """The lane must exist when the block is entered."""
        self._admin = admin
        self._lane = lane
        self._signals = signals
        self._sleep = sleep
        self.set_back_error: AdminError | None = None
        self.found_raised_per_s: float | None = None
        """What the lane is set to, where an audit that was killed had left it raised."""

    @contextmanager
    def raised(self) -> Iterator[None]:
        """It is in force from the first line of the block. Raises `AdminError`."""
        state = self._admin.state()
        before_per_s = state.lanes[self._lane].capacity_per_s
        if state.service is not None or state.capacity_per_s >= HIGHEST_PER_S:
            yield
            return
        if before_per_s >= HIGHEST_PER_S:
            self.found_raised_per_s = before_per_s = state.capacity_per_s
        try:
            with self._signals.held():
                asked = self._admin.set_capacity(HIGHEST_PER_S, [self._lane])
            while self._admin.state().seq == asked.seq:  # it begins with the next tick
                self._sleep(asked.tick_s / 2)
            yield
        finally:
            with self._signals.held():
                self._set_back(before_per_s)

    def _set_back(self, capacity_per_s: float) -> None:
        try:
            lane = self._admin.state().lanes.get(self._lane)
            if lane is not None and lane.capacity_per_s == HIGHEST_PER_S:
                self._admin.set_capacity(capacity_per_s, [self._lane])
        except AdminError as failed:
            # Whatever made us stop matters more.
            self.set_back_error = failed
