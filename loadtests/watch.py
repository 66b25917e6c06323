"""Watches the target during a run: ticks, health, faults and actions, as lines of the record."""

from collections.abc import Iterable
from typing import Protocol

from faults.statuses import ActionStatus, DipStatus, FaultStatus
from faults.wire import TickRow
from loadtests.meter_health import MeterHealth
from reports.record import Action, Fault, Line, Tick


class TargetReader(Protocol):
    """What is read of the target; `faults.admin.AdminClient` is one."""

    def ticks(self, after: int | None) -> list[TickRow]:
        """The finished ticks with a sequence number above `after`."""
        ...

    def dips(self) -> list[DipStatus]:
        """The dips to come, in force and over."""
        ...

    def faults(self) -> list[FaultStatus]:
        """The other faults, likewise."""
        ...

    def actions(self) -> list[ActionStatus]:
        """An operator's actions, likewise."""
        ...


class TargetWatch:
    """Turns what the target answers into lines; each call of `poll` returns what is new."""

    def __init__(
        self,
        target: TargetReader,
        lanes: Iterable[str],
        offset_s: float,
        after_seq: int,
        tick_s: float,
    ) -> None:
        """`offset_s` is added to the target's clock to get seconds from the anchor.

        The target may have other lanes than the run's `lanes`, from other tests: those are no part
        of the record until there is load in them.
        """
        self._lanes = set(lanes)
        self._tick_s = tick_s
        self.recorded_s = 0.0
        self._target = target
        self._offset_s = offset_s
        self._after_seq = after_seq
        self._events: dict[str, Fault | Action] = {}
        self._health = MeterHealth("target", "target", tick_s)

    def poll(self) -> list[Line]:
        """What the target metered, and what happened to it, since the last time.

        All is read before any of it counts as seen: a call that fails in between, or a greenlet
        that is ended there, loses nothing.
        """
        rows = self._target.ticks(self._after_seq)
        events: list[Fault | Action] = [
            *map(self._dip, self._target.dips()),
            *map(self._fault, self._target.faults()),
            *map(self._action, self._target.actions()),
        ]
        return [*self._new_ticks(rows), *self._new(events)]

    def last_second(self) -> list[Line]:
        """The health of the second not yet over: at the end of a run it will not fill up."""
        return list(self._health.rest())

    def _new_ticks(self, rows: list[TickRow]) -> list[Line]:
        lines: list[Line] = []
        for row in rows:
            self._after_seq = row.seq
            t_s = row.t_s + self._offset_s
            self.recorded_s = t_s + self._tick_s
            if t_s < -self._tick_s / 2:  # the first tick begins at 0, give or take a rounding
                continue
            lines += self._health.add(t_s, row)
            for name, lane in row.lanes.items():
                if name not in self._lanes and not sum(lane.offered):
                    continue
                self._lanes.add(name)
                lines.append(
                    Tick(
                        seq=row.seq,
                        t_s=t_s,
                        lane=name,
                        capacity_per_s=lane.capacity_per_s,
                        offered=list(lane.offered),
                        admitted=list(lane.admitted),
                        turned_away=list(lane.turned_away),
                        completed=list(lane.completed),
                        abandoned=list(lane.abandoned),
                        queue=lane.queue,
                        blocked=list(lane.blocked),
                        shed=list(lane.shed),
                        failed=list(lane.failed),
                        in_flight=lane.in_flight,
                    )
                )
        return lines

    def _new(self, events: list[Fault | Action]) -> list[Line]:
        """Those that are new or have changed since they were recorded."""
        lines: list[Line] = []
        for event in events:
            # What was over before the load began is no part of this run. What was recorded and
            # then taken back before it began is: its line now has no length.
            concerns_us = event.id in self._events or event.end_s > max(event.start_s, 0)
            if concerns_us and self._events.get(event.id) != event:
                self._events[event.id] = event
                lines.append(event)
        return lines

    def _dip(self, dip: DipStatus) -> Fault:
        begin_s, end_s = self._when(dip)
        return Fault("dip", dip.id, begin_s, end_s, dip.what, dip.shape, dip.lanes)

    def _fault(self, fault: FaultStatus) -> Fault:
        begin_s, end_s = self._when(fault)
        return Fault(fault.type, fault.id, begin_s, end_s, lanes=fault.lanes, text=fault.text)

    def _action(self, action: ActionStatus) -> Action:
        begin_s, end_s = self._when(action)
        return Action(action.action, action.id, begin_s, end_s, action.lanes, action.text)

    def _when(self, event: DipStatus | FaultStatus | ActionStatus) -> tuple[float, float]:
        """Begin and end on the run's clock: whole ticks, without the dust of a subtraction."""
        offset_s = self._offset_s
        return round(event.start_s + offset_s, 6), round(event.end_s + offset_s, 6)
