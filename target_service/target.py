"""The target without its server: lanes, dips and the meter, moved on by the time it is told.

Every method takes the time as `now_s`, seconds of the target's clock, which never goes back.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

from target_service.dips import Dip, DipPlan, Dips
from target_service.disorder import Action, ActionPlan, Disorder, Fault, FaultPlan
from target_service.lanes import Lane, TooManyLanesError, UnknownLaneError, base_of, checked_name
from target_service.limits import KEPT_TICKS, MAX_LANES
from target_service.meter import Meter
from target_service.service import Job, QueueModel, ServiceConfig, Verdict
from target_service.ticks import TickGrid
from target_service.timed import span
from target_service.traces import Traces


class Target:
    """A service's capacity, per lane and tick."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing it is told once
        self,
        capacity_per_s: float,
        tick_s: float = 0.1,
        kept_ticks: int = KEPT_TICKS,
        service: ServiceConfig | None = None,
        turn_away_cost: float = 0.0,
        seed: int = 0,
    ) -> None:
        """With `service` each lane has workers and a queue; without, it admits per tick."""
        if service is not None and service.capacity_per_s is not None:
            capacity_per_s = service.capacity_per_s
        self.grid: Final = TickGrid(tick_s)
        self.meter: Final = Meter(self.grid, kept_ticks)
        self.dips: Final = Dips()
        self.disorder: Final = Disorder(self.grid, lambda lane: Random(f"{seed}/disorder/{lane}"))
        self.traces: Final = Traces()
        self.lanes: Final[dict[str, Lane]] = {}
        self.service: Final = service
        self.turn_away_cost: Final = turn_away_cost
        self.capacity_per_s = capacity_per_s
        self.cpu_s = 0.0
        self.seq = 0
        self._configured_per_s: Final = capacity_per_s
        self._seed = seed

    # What the gate asks

    def lane(self, name: str, now_s: float) -> Lane:
        """The lane of this name; it exists from its first attempt on.

        Raises `BadLaneNameError` and `TooManyLanesError`.
        """
        known = self.lanes.get(name)
        if known is not None:
            return known
        checked_name(name)
        if len(self.lanes) >= MAX_LANES:
            raise TooManyLanesError
        self.advance(now_s)
        lane = self._new_lane(name)
        for dip in self.dips.covering(name, self.seq):
            lane.begin_dip(dip)
        self._open(lane)
        self.lanes[name] = lane
        return lane

    def _new_lane(self, name: str) -> Lane:
        """A lane of its own; what is random in it depends on the seed and its name alone."""
        model = None
        if self.service is not None:
            model = QueueModel(self.service, Random(f"{self._seed}/service/{name}"))
        lane = Lane(name, self._configured_per_s, model, self.turn_away_cost)
        lane.base_per_s = self.capacity_per_s
        return lane

    def offer(self, lane: Lane, job: Job, now_s: float) -> Verdict:
        """Count an attempt that arrives, and say what becomes of it."""
        self.advance(now_s)
        disorder = self.disorder
        if disorder.acting and disorder.turns_away(lane.name, job.attempt, self.seq):
            lane.block(job.attempt)
            return Verdict.BLOCKED
        return lane.offer(job, now_s)

    def complete(
        self,
        lane: Lane,
        attempt: int,
        now_s: float,
        *,
        shed: bool = False,
        failed: bool = False,
    ) -> None:
        """Count an attempt whose response is complete: of one refused after all, or of a failure.

        Every attempt that was admitted is either completed or abandoned in the end.
        """
        self.advance(now_s)
        lane.complete(attempt, shed=shed, failed=failed)

    def abandon(self, lane: Lane, attempt: int, now_s: float) -> None:
        """Count an admitted attempt whose client had gone before the response was complete."""
        self.advance(now_s)
        lane.abandon(attempt)

    def leave(self, lane: Lane, job: Job, now_s: float) -> None:
        """Tell a service model that the client of an attempt has gone; it counts nothing."""
        self.advance(now_s)
        lane.leave(job, now_s)

    def finish(self, lane: Lane, job: Job, now_s: float) -> None:
        """Tell a service model that the app is done with an attempt that a worker had taken."""
        self.advance(now_s)
        lane.finish(job, now_s)

    def stream(self, name: str) -> Random:
        """Randomness of its own for what is drawn beside the lanes."""
        return Random(f"{self._seed}/{name}/0")

    # What the ticker says

    def advance(self, now_s: float) -> None:
        """Close the ticks that are over by now."""
        current = self.grid.seq_at(now_s)
        while self.seq < current:
            end_s = self.grid.start_s(self.seq + 1)
            closed = {name: lane.close_tick(end_s) for name, lane in self.lanes.items()}
            self.meter.close(self.seq, closed)
            self.disorder.close_tick(self.seq, closed)
            self.seq += 1
            self.dips.retire_before(self.seq)
            self.disorder.open_tick(self.seq)
            self._begin_dips()
            for lane in self.lanes.values():
                self._open(lane)

    def _begin_dips(self) -> None:
        for dip in self.dips.in_force(self.seq):
            if dip.start == self.seq:
                for lane in self.lanes.values():
                    if dip.named(lane.name):
                        lane.begin_dip(dip)

    def _open(self, lane: Lane) -> None:
        in_force = self.dips.keep_to(lane.name, lane.base, self.seq)
        lane.open_tick(in_force, self.grid.start_s(self.seq), self.grid.tick_s)

    def observe(self, now_s: float, cpu_s: float) -> None:
        """The ticker came, having seen `cpu_s` of CPU time since it last came."""
        self.advance(now_s)
        self.cpu_s += cpu_s
        self.meter.finish(now_s, cpu_s)

    # What the admin API asks

    def begin_dip(self, plan: DipPlan, now_s: float) -> Dip:
        """Plan a dip. Its start is put off to the next tick, its length is whole ticks.

        Raises `UnknownLaneError`, `LevelDoesNotFitError` and `TooManyError`.
        """
        self._known(plan.lanes)
        plan.level.check(base_of(self.service, self.capacity_per_s, self._configured_per_s))
        self.advance(now_s)
        slow_start = self.grid.whole(plan.slow_start_s) if plan.slow_start_s else 0
        return self.dips.plan(plan, *span(self.grid, plan, self.seq, now_s), slow_start)

    def end_dip(self, dip_id: str, now_s: float) -> Dip:
        """End a dip with the tick that is running. Raises `UnknownIdError`."""
        self.advance(now_s)
        return self.dips.stop(dip_id, self.seq + 1)

    def begin_fault(self, plan: FaultPlan, now_s: float) -> Fault:
        """Plan a fault. Raises `UnknownLaneError` and `TooManyError`."""
        self._known(plan.lanes)
        self.advance(now_s)
        return self.disorder.begin_fault(plan, self.seq, now_s)

    def end_fault(self, fault_id: str, now_s: float) -> Fault:
        """End a fault with the tick that is running. Raises `UnknownIdError`."""
        self.advance(now_s)
        return self.disorder.end_fault(fault_id, self.seq)

    def begin_action(self, plan: ActionPlan, now_s: float) -> Action:
        """Plan an operator's action. Raises `UnknownLaneError` and `TooManyError`."""
        self._known(plan.lanes)
        self.advance(now_s)
        return self.disorder.begin_action(plan, self.seq, now_s)

    def end_action(self, action_id: str, now_s: float) -> Action:
        """End an action with the tick that is running. Raises `UnknownIdError`."""
        self.advance(now_s)
        return self.disorder.end_action(action_id, self.seq)

    def set_capacity(
        self, capacity_per_s: float, lanes: Sequence[str] | None, now_s: float
    ) -> None:
        """Change the base capacity from the next tick on, of the lanes named.

        None is every lane, also those to come. Raises `UnknownLaneError`.
        """
        changed = self._known(lanes)
        self.advance(now_s)
        for lane in changed:
            lane.base_per_s = capacity_per_s
        if lanes is None:
            self.capacity_per_s = capacity_per_s

    def register(self, names: Iterable[str], now_s: float) -> None:
        """Make lanes exist before their first attempt: all of them or none.

        Raises `BadLaneNameError` and `TooManyLanesError`.
        """
        wanted = {checked_name(name) for name in names}
        if len(wanted | self.lanes.keys()) > MAX_LANES:
            raise TooManyLanesError
        for name in sorted(wanted):
            self.lane(name, now_s)

    def reset(self, now_s: float) -> None:
        """Forget dips, faults, actions, lanes and kept ticks; go back to the configured capacity.

        Numbers go on growing.
        """
        self.advance(now_s)
        for lane in self.lanes.values():
            lane.release(now_s)
        self.lanes.clear()
        self.dips.clear()
        self.disorder.clear()
        self.traces.clear()
        self.meter.clear()
        self.capacity_per_s = self._configured_per_s

    def _known(self, names: Sequence[str] | None) -> list[Lane]:
        if names is None:
            return list(self.lanes.values())
        unknown = [name for name in names if name not in self.lanes]
        if unknown:
            raise UnknownLaneError(unknown[0])
        return [self.lanes[name] for name in names]
