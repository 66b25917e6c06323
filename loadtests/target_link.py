"""The link to a target's admin API: its clock against ours, its lanes, its dips."""

import logging
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

from faults.admin import AdminClient, AdminError, clock_offset
from faults.dip import Dip
from loadtests.client import RunClock
from loadtests.settings import Settings
from loadtests.watch import TargetWatch

log = logging.getLogger("aftershock")


@dataclass(frozen=True, slots=True)
class TargetLink:
    """A target that answers. Its clock plus `offset_s` is our monotonic clock."""

    admin: AdminClient
    offset_s: float
    tick_s: float
    seq: int
    lanes: tuple[str, ...]

    def tick_before(self, monotonic_s: float) -> float:
        """When the target's tick that runs at `monotonic_s` began, on our clock.

        A run that begins with a tick has all of its ticks whole, and its times are whole ticks.
        """
        ticks = math.floor((monotonic_s - self.offset_s) / self.tick_s)
        return ticks * self.tick_s + self.offset_s

    def watch(self, clock: RunClock) -> TargetWatch:
        """What the target does from now on, on the run's clock."""
        offset_s = self.offset_s - clock.anchor_monotonic_s
        return TargetWatch(self.admin, self.lanes, offset_s, self.seq - 1, self.tick_s)

    def begin_dip(self, dip: Dip, clock: RunClock) -> str:
        """Have the target dip at `dip.at_s` of the run, or at once if that is over. Its id.

        A dip begins with a tick. Half a tick early is rounded up to the right one, where a call
        that takes a millisecond would be rounded up to the next.
        """
        after_s = dip.at_s - self.tick_s / 2 - clock.now_s()
        return self.admin.begin_dip(dip, max(0.0, after_s)).id

    def end_dips(self, ids: Iterable[str]) -> None:
        """Take back those of our dips that are not over yet."""
        ours = set(ids)
        try:
            for status in self.admin.dips():
                if status.id in ours and not status.over:
                    self.admin.end_dip(status.id)
        except AdminError as error:
            log.warning("a dip may be in force until it ends by itself: %s", error)


def connect(settings: Settings, lanes: tuple[str, ...]) -> TargetLink | None:
    """Reach the target's admin API and make the lanes exist there.

    None, and a line in the log, when the service under load has no such API: the record then
    holds what the clients saw. Raises `AdminError` when dips were asked for all the same.
    """
    admin = AdminClient(settings.admin_url, settings.admin_token)
    try:
        state = admin.state()
        offset = clock_offset(admin, clock=time.monotonic)
        admin.register_lanes(lanes)
    except AdminError as error:
        admin.close()
        if settings.dips:
            raise
        log.warning("no target meter, so no recovery can be measured: %s", error)
        return None
    return TargetLink(admin, offset.offset_s, state.tick_s, state.seq, lanes)
