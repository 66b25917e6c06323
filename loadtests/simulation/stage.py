"""The service of a scenario in virtual time: one lane of a target, with all that is to go wrong.

It is the live target without its server, told the same things in the same words. Each lane has a
target of its own: lanes do not disturb each other, and what is random depends on their names.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from faults.action import OperatorAction
from faults.asking import ask_action, ask_dip, ask_fault
from loadtests.arrivals import Surge
from loadtests.scenario import Scenario
from reports.record import Action, Fault
from target_service.admin.disorder_models import BlockRetriesIn, FaultIn, ReopenIn, ShedIn
from target_service.admin.models import DipIn
from target_service.admin.plans import action_plan, dip_plan, fault_plan
from target_service.dips import Dip
from target_service.disorder import Action as TargetAction
from target_service.disorder import Fault as TargetFault
from target_service.lanes import Lane
from target_service.levels import Level, RateLevel, WorkersLevel
from target_service.service import ServiceConfig
from target_service.target import Target

TICK_S = 0.1
"""The target's own default."""

Span = TypeVar("Span", Fault, Action)

_ACTIONS: dict[str, type[ShedIn | BlockRetriesIn | ReopenIn]] = {
    "shed": ShedIn,
    "block-retries": BlockRetriesIn,
    "reopen": ReopenIn,
}


@dataclass(frozen=True)
class Stage:
    """One lane, ready to be played from 0 to `ticks` ticks.

    From `end_s` on, in the last tick, nobody makes a new request. `target.advance` need not be
    called: an engine may open and close the ticks of the `lane` by itself. `dips` and the
    like are what is planned there, each with how it stands in a record.
    """

    target: Target
    lane: Lane
    ticks: int
    end_s: float
    rate_per_s: float
    surges: tuple[Surge, ...]
    dips: tuple[tuple[Dip, Fault], ...]
    faults: tuple[tuple[TargetFault, Fault], ...]
    actions: tuple[tuple[TargetAction, Action], ...]
    spikes: tuple[Fault, ...]

    def recorded_faults(self) -> tuple[Fault, ...]:
        """Dips, faults and spikes as they came to pass, for the record."""
        spans: tuple[tuple[Dip | TargetFault, Fault], ...] = (*self.dips, *self.faults)
        return (*(self._spanned(thing, line) for thing, line in spans), *self.spikes)

    def recorded_actions(self) -> tuple[Action, ...]:
        """The operator's actions as they came to pass, for the record."""
        return tuple(self._spanned(thing, line) for thing, line in self.actions)

    def _spanned(self, thing: Dip | TargetFault | TargetAction, line: Span) -> Span:
        """What is in force at the end of the run is taken back then."""
        start_s = self.target.grid.start_s
        end = min(thing.end, self.ticks)
        return replace(line, start_s=start_s(min(thing.start, end)), end_s=start_s(end))


Told = Callable[[], None]
"""Is called for each second of virtual time that was played."""
_TICKS_A_SECOND = round(1 / TICK_S)


def told_nobody() -> None:
    """Where nobody waits."""


def each_tick(ticks: int, on_second: Told) -> Iterator[int]:
    """The numbers of the ticks, in turn; whoever waits is told of each second."""
    for tick in range(ticks):
        yield tick
        if (tick + 1) % _TICKS_A_SECOND == 0:
            on_second()


def ticks_until(end_s: float) -> int:
    """How many ticks begin before then."""
    return math.ceil(end_s / TICK_S - 1e-9)


def set_stage(scenario: Scenario, lane: str, until_s: float = math.inf) -> Stage:
    """The target as it stands at 0 with all that the scenario plans for this lane.

    It is played up to `until_s`, if that is before the planned end.
    """
    end_s = min(scenario.planned_end_s, until_s)
    scale = scenario.simulation.scale
    service = scenario.target.service()
    target = Target(
        (scenario.target.capacity_per_s or 0.0) * scale,
        TICK_S,
        kept_ticks=1,
        service=None if service is None else _scaled(service, scale),
        turn_away_cost=0.0 if service is not None else scenario.target.turn_away_share,
        seed=scenario.seed % 2**31,
    )
    made = target.lane(lane, 0.0)
    return Stage(
        target=target,
        lane=made,
        ticks=ticks_until(end_s),
        end_s=end_s,
        rate_per_s=scenario.load.rate_per_s * scale,
        surges=tuple(_surges(scenario, lane)),
        dips=tuple(_dips(scenario, target, lane, scale)),
        faults=tuple(_faults(scenario, target, lane)),
        actions=tuple(_actions(scenario, target, lane)),
        spikes=tuple(_spikes(scenario, lane)),
    )


def _scaled(service: ServiceConfig, scale: float) -> ServiceConfig:
    """So many times the workers and the room for those who wait."""
    return replace(
        service,
        workers=max(1, round(service.workers * scale)),
        queue=round(service.queue * scale),
    )


def _scaled_level(level: Level, scale: float) -> Level:
    if isinstance(level, RateLevel):
        return replace(level, per_s=level.per_s * scale)
    if isinstance(level, WorkersLevel):
        return replace(level, workers=round(level.workers * scale))
    return level


def _concerns(lanes: tuple[str, ...] | None, lane: str) -> bool:
    return lanes is None or lane in lanes


def _surges(scenario: Scenario, lane: str) -> Iterable[Surge]:
    for spike in scenario.spike_schedule():
        if _concerns(spike.lanes, lane):
            yield Surge(spike.factor, spike.at_s, spike.at_s + spike.for_s)


def _spikes(scenario: Scenario, lane: str) -> Iterable[Fault]:
    for number, spike in enumerate(scenario.spike_schedule(), 1):
        if _concerns(spike.lanes, lane):
            ends_s = spike.at_s + spike.for_s
            yield Fault(
                "spike", f"spike-{number}", spike.at_s, ends_s, lanes=spike.lanes, text=spike.text
            )


def _dips(
    scenario: Scenario, target: Target, lane: str, scale: float
) -> Iterable[tuple[Dip, Fault]]:
    for number, dip in enumerate(scenario.dip_schedule(), 1):
        if not _concerns(dip.lanes, lane):
            continue
        plan = dip_plan(DipIn.model_validate(ask_dip(replace(dip, lanes=None), dip.at_s)))
        plan = replace(plan, level=_scaled_level(plan.level, scale))
        line = Fault("dip", f"dip-{number}", 0.0, 0.0, dip.text, dip.shape, dip.lanes)
        yield target.begin_dip(plan, 0.0), line


def _faults(scenario: Scenario, target: Target, lane: str) -> Iterable[tuple[TargetFault, Fault]]:
    for number, fault in enumerate(scenario.fault_schedule(), 1):
        if _concerns(fault.lanes, lane):
            asked = FaultIn.model_validate(ask_fault(replace(fault, lanes=None), fault.at_s))
            line = Fault(
                fault.type, f"fault-{number}", 0.0, 0.0, lanes=fault.lanes, text=fault.text
            )
            yield target.begin_fault(fault_plan(asked), 0.0), line


def _actions(
    scenario: Scenario, target: Target, lane: str
) -> Iterable[tuple[TargetAction, Action]]:
    for number, action in enumerate(scenario.action_schedule(), 1):
        if _concerns(action.lanes, lane):
            line = Action(action.action, f"action-{number}", 0.0, 0.0, action.lanes, action.text)
            yield target.begin_action(action_plan(_asked(action)), 0.0), line


def _asked(action: OperatorAction) -> ShedIn | BlockRetriesIn | ReopenIn:
    body = ask_action(replace(action, lanes=None), action.at_s)
    return _ACTIONS[action.action].model_validate(body)
