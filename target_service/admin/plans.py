"""Between the bodies of the admin API and the target's dips, faults and actions."""

from typing import TypedDict

from aftershock_units import format_duration, format_share
from target_service.admin.disorder_models import (
    ActionOut,
    BlockRetriesIn,
    FaultIn,
    FaultOut,
    ReopenIn,
    ShedIn,
)
from target_service.admin.models import DipIn, DipOut
from target_service.dips import Dip, DipPlan
from target_service.disorder import actions, faults
from target_service.disorder.actions import Action, ActionPlan
from target_service.disorder.faults import Fault, FaultPlan
from target_service.target import Target
from target_service.timed import State


class _TimedFields(TypedDict):
    """The fields of `TimedOut`."""

    id: str
    start_s: float
    end_s: float
    state: State
    lanes: list[str] | None
    for_s: str


def _timed(target: Target, thing: Dip | Fault | Action) -> _TimedFields:
    """What is told of everything that is planned."""
    lanes = thing.plan.lanes
    return _TimedFields(
        id=thing.id,
        start_s=target.grid.start_s(thing.start),
        end_s=target.grid.start_s(thing.end),
        state=thing.state(target.seq),
        lanes=None if lanes is None else list(lanes),
        for_s=format_duration(thing.plan.for_s),
    )


def dip_plan(asked: DipIn) -> DipPlan:
    """What the target is to do."""
    return DipPlan(
        level=asked.level(),
        for_s=asked.for_s,
        after_s=asked.after_s,
        lanes=asked.where,
        shape=asked.shape,
        slow_start_s=asked.slow_start_s,
    )


def dip_out(target: Target, dip: Dip) -> DipOut:
    """A dip as it stands."""
    plan = dip.plan
    return DipOut(
        **_timed(target, dip),
        capacity=plan.level.text,
        shape=plan.shape,
        slow_start=format_duration(plan.slow_start_s),
    )


def _effect(asked: FaultIn) -> faults.Effect:
    match asked.type:
        case "latency":
            return faults.AddedLatency(asked.add or 0.0, asked.spread or 0.0)
        case "error":
            retry_after_s = None if asked.retry_after is None else int(asked.retry_after)
            return faults.Error(asked.status or 500, retry_after_s)
        case "hang":
            return faults.Hang()
        case "reset":
            return faults.Reset()
        case "cut":
            return faults.Cut()


def fault_plan(asked: FaultIn) -> FaultPlan:
    """What the target is to do."""
    return FaultPlan(_effect(asked), asked.for_s, asked.after_s, asked.where, asked.share)


def action_plan(asked: ShedIn | BlockRetriesIn | ReopenIn) -> ActionPlan:
    """What the target is to do."""
    measure: actions.Measure
    match asked:
        case ShedIn():
            measure = actions.Shed(asked.share)
        case BlockRetriesIn():
            measure = actions.BlockRetries()
        case ReopenIn():
            measure = actions.Reopen(asked.step, asked.every, asked.max_errors)
    return ActionPlan(measure, asked.for_s, asked.after_s, asked.where)


def fault_out(target: Target, fault: Fault) -> FaultOut:
    """A fault as it stands."""
    plan, effect = fault.plan, fault.plan.effect
    latency = effect if isinstance(effect, faults.AddedLatency) else None
    error = effect if isinstance(effect, faults.Error) else None
    return FaultOut(
        **_timed(target, fault),
        type=faults.type_of(effect),
        share=format_share(plan.share),
        add=format_duration(latency.add_s) if latency else None,
        spread=format_duration(latency.spread_s) if latency else None,
        status=error.status if error else None,
        retry_after=(
            format_duration(error.retry_after_s)
            if error and error.retry_after_s is not None
            else None
        ),
    )


def _share(action: Action) -> str | None:
    if action.reopening is not None:
        return format_share(action.reopening.highest_share)
    measure = action.plan.measure
    return format_share(measure.share) if isinstance(measure, actions.Shed) else None


def action_out(target: Target, action: Action) -> ActionOut:
    """An action as it stands."""
    measure, reopening = action.plan.measure, action.reopening
    reopen = measure if isinstance(measure, actions.Reopen) else None
    return ActionOut(
        **_timed(target, action),
        action=actions.type_of(measure),
        share=_share(action),
        shares=(
            {lane: format_share(share) for lane, share in reopening.shares().items()}
            if reopening is not None
            else None
        ),
        step=format_share(reopen.step) if reopen else None,
        every=format_duration(reopen.every_s) if reopen else None,
        max_errors=format_share(reopen.max_errors) if reopen else None,
    )
