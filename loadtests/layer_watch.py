"""Watches the gateways of a run: what arrived at each, as lines of the record."""

import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

from faults.admin import AdminClient, TickRow, clock_offset
from loadtests.client import RunClock
from loadtests.layers import LAYER
from loadtests.meter_health import MeterHealth
from reports.record import Health, LayerTick


class MeterReader(Protocol):
    """What is read of a gateway; `faults.admin.AdminClient` is one."""

    def ticks(self, after: int | None) -> list[TickRow]:
        """The finished ticks with a sequence number above `after`."""
        ...


class LayerWatch:
    """Turns what one gateway metered into lines; each call of `poll` returns what is new."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing it is told once
        self,
        gateway: MeterReader,
        layer: str,
        lanes: Iterable[str],
        offset_s: float,
        after_seq: int,
        tick_s: float,
    ) -> None:
        """`offset_s` is added to the gateway's clock to get seconds from the anchor."""
        self._gateway = gateway
        self._layer = layer
        self._lanes = tuple(lanes)
        self._offset_s = offset_s
        self._after_seq = after_seq
        self._tick_s = tick_s
        self._health = MeterHealth("gateway", layer, tick_s)
        self.recorded_s = 0.0

    def poll(self) -> list[LayerTick | Health]:
        """What arrived since the last time: a line a tick and lane of the run, and its health.

        A gateway's ticks begin at instants of its own; what the one has in which the load began
        came after 0.
        """
        lines: list[LayerTick | Health] = []
        for row in self._gateway.ticks(self._after_seq):
            self._after_seq = row.seq
            t_s = row.t_s + self._offset_s
            self.recorded_s = t_s + self._tick_s
            if self.recorded_s <= 0:
                continue
            t_s = max(0.0, t_s)
            lines += self._health.add(t_s, row)
            for name in self._lanes:
                lane = row.lanes.get(name)  # none before the lane's first attempt
                offered = [] if lane is None else list(lane.offered)
                lines.append(LayerTick(row.seq, t_s, self._layer, name, offered))
        return lines

    def last_second(self) -> list[Health]:
        """The health of the second not yet over: at the end of a run it will not fill up."""
        return self._health.rest()


@dataclass(frozen=True, slots=True)
class LayerLink:
    """A gateway that answers. Its clock plus `offset_s` is our monotonic clock."""

    admin: AdminClient
    layer: str
    offset_s: float
    tick_s: float
    seq: int

    def watch(self, lanes: Iterable[str], clock: RunClock) -> LayerWatch:
        """What arrives there from now on, on the run's clock."""
        offset_s = self.offset_s - clock.anchor_monotonic_s
        return LayerWatch(self.admin, self.layer, lanes, offset_s, self.seq - 1, self.tick_s)


def connect_layers(urls: Iterable[str], token: str | None) -> tuple[LayerLink, ...]:
    """Reach the gateways, the outermost first. Raises `AdminError` when one does not answer."""
    links = []
    with ExitStack() as opened:
        for number, url in enumerate(urls, 1):
            admin = AdminClient(url, token)
            opened.callback(admin.close)
            state = admin.state()
            offset = clock_offset(admin, clock=time.monotonic)
            name = LAYER.format(number)
            links.append(LayerLink(admin, name, offset.offset_s, state.tick_s, state.seq))
        opened.pop_all()  # all answer: they are the caller's to close
    return tuple(links)
