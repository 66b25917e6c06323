"""The faults and actions of one target, moved on from tick to tick by whoever has the clock."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from target_service.disorder.actions import (
    Action,
    ActionPlan,
    Actions,
    Reopen,
    turned_away_at_edge,
)
from target_service.disorder.faults import Blow, Fault, FaultPlan, Faults, fault_for
from target_service.meter import LaneTick
from target_service.ticks import TickGrid
from target_service.timed import span


class Disorder:
    """What is in force in the tick that is running, and what is planned.

    `acting` and `striking` are empty in most ticks: whoever handles an attempt looks at them first
    and calls nothing here where there is nothing.
    """

    def __init__(self, grid: TickGrid, stream: Callable[[str], Random]) -> None:
        """`stream` makes the randomness of a lane, so that lanes do not disturb each other's."""
        self.faults: Final = Faults()
        self.actions: Final = Actions()
        self.acting: tuple[Action, ...] = ()
        self.striking: tuple[Fault, ...] = ()
        self._grid = grid
        self._stream = stream
        self._streams: dict[str, Random] = {}

    # What the gate asks

    def turns_away(self, lane: str, attempt: int, seq: int) -> bool:
        """Whether an operator turns this attempt away at the edge, in the running tick `seq`."""
        return turned_away_at_edge(self.acting, lane, attempt, seq, self._of(lane))

    def blow(self, lane: str, seq: int) -> Blow | None:
        """What befalls an attempt that is admitted in the running tick `seq`."""
        return fault_for(self.striking, lane, seq, self._of(lane))

    def _of(self, lane: str) -> Random:
        if lane not in self._streams:
            self._streams[lane] = self._stream(lane)
        return self._streams[lane]

    # What moves it on

    def close_tick(self, seq: int, lanes: Mapping[str, LaneTick]) -> None:
        """Tick `seq` is over, with these counts."""
        for action in self.acting:
            if action.reopening is None or not action.start <= seq < action.end:
                continue
            action.reopening.close_tick(
                {name: tick for name, tick in lanes.items() if action.named(name)}
            )
            if action.reopening.over:
                action.end = min(action.end, seq + 1)

    def open_tick(self, seq: int) -> None:
        """Tick `seq` begins."""
        self.faults.retire_before(seq)
        self.actions.retire_before(seq)
        self.striking = tuple(self.faults.in_force(seq))
        self.acting = tuple(self.actions.in_force(seq))

    # What the admin API asks, while tick `seq` is running

    def begin_fault(self, plan: FaultPlan, seq: int, now_s: float) -> Fault:
        """Plan a fault, in whole ticks, from the next one on. Raises `TooManyError`."""
        return self.faults.plan(plan, *span(self._grid, plan, seq, now_s))

    def begin_action(self, plan: ActionPlan, seq: int, now_s: float) -> Action:
        """Plan an action, in whole ticks, from the next one on. Raises `TooManyError`."""
        measure = plan.measure
        every = self._grid.whole(measure.every_s) if isinstance(measure, Reopen) else 1
        return self.actions.plan(plan, *span(self._grid, plan, seq, now_s), every)

    def end_fault(self, fault_id: str, seq: int) -> Fault:
        """End a fault with the tick that is running. Raises `UnknownIdError`."""
        return self.faults.stop(fault_id, seq + 1)

    def end_action(self, action_id: str, seq: int) -> Action:
        """End an action with the tick that is running. Raises `UnknownIdError`."""
        return self.actions.stop(action_id, seq + 1)

    def clear(self) -> None:
        """Forget everything, at once; ids go on growing."""
        self.faults.clear()
        self.actions.clear()
        self.acting, self.striking = (), ()
        self._streams.clear()
