"""The link to a target's admin API: its clock against ours, its lanes, what it is to do when."""

import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from faults.action import OperatorAction
from faults.admin import AdminClient, AdminError, clock_offset
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.statuses import ActionStatus, DipStatus, FaultStatus
from loadtests.client import RunClock
from loadtests.layer_watch import LayerLink, connect_layers
from loadtests.settings import Settings
from loadtests.target_found import Told, told_by
from loadtests.watch import TargetWatch

log = logging.getLogger("aftershock")

Planned = Dip | ServiceFault | OperatorAction
"""What a target can be told to do at an instant of a run."""
Status = DipStatus | FaultStatus | ActionStatus


@dataclass(frozen=True, slots=True)
class TargetLink:
    """A target that answers. Its clock plus `offset_s` is our monotonic clock."""

    admin: AdminClient
    offset_s: float
    tick_s: float
    seq: int
    lanes: tuple[str, ...]
    layers: tuple[LayerLink, ...] = ()
    """The gateways in front of it, the outermost first."""
    told: Told | None = None
    """Its settings, if it tells them."""

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

    def begin(self, planned: Planned, clock: RunClock) -> str:
        """Have the target do it at `planned.at_s` of the run, or at once if that is over. Its id.

        It begins with a tick. Half a tick early is rounded up to the right one, where a call
        that takes a millisecond would be rounded up to the next.
        """
        after_s = max(0.0, planned.at_s - self.tick_s / 2 - clock.now_s())
        match planned:
            case Dip():
                return self.admin.begin_dip(planned, after_s).id
            case ServiceFault():
                return self.admin.begin_fault(planned, after_s).id
            case OperatorAction():
                return self.admin.begin_action(planned, after_s).id

    def end(self, ids: Iterable[str]) -> None:
        """Take back what of ours is not over yet."""
        ours, admin = set(ids), self.admin
        kinds: tuple[tuple[Callable[[], Sequence[Status]], Callable[[str], object]], ...] = (
            (admin.dips, admin.end_dip),
            (admin.faults, admin.end_fault),
            (admin.actions, admin.end_action),
        )
        try:
            for listed, end in kinds if ours else ():
                for status in listed():
                    if status.id in ours and not status.over:
                        end(status.id)
        except AdminError as error:
            log.warning("what the run began may be in force until it ends by itself: %s", error)

    def close(self) -> None:
        """Close the connections to the target and its gateways."""
        for admin in (self.admin, *(layer.admin for layer in self.layers)):
            admin.close()


def connect(settings: Settings, lanes: tuple[str, ...]) -> TargetLink | None:
    """Reach the target's admin API and make the lanes exist there.

    None, and a line in the log, when the service under load has no such API: the record then
    holds what the clients saw. Raises `AdminError` when dips, faults or actions were asked for
    all the same, or when a gateway does not answer.
    """
    admin = AdminClient(settings.admin_url, settings.admin_token)
    try:
        state = admin.state()
        offset = clock_offset(admin, clock=time.monotonic)
        admin.register_lanes(lanes)
    except AdminError as error:
        admin.close()
        if settings.dips or settings.faults or settings.actions:
            raise
        log.warning("no target meter, so no recovery can be measured: %s", error)
        return None
    try:
        layers = connect_layers(settings.gateway_urls, settings.admin_token)
    except AdminError:
        admin.close()
        raise
    told = told_by(state)
    return TargetLink(admin, offset.offset_s, state.tick_s, state.seq, lanes, layers, told)
