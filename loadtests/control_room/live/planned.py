"""What a run will have the target do, by the scenario in its header: told before the target is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from aftershock_units import parse_duration_s
from faults.action import OperatorAction
from faults.dip import Dip
from faults.fault import ServiceFault
from faults.schedule import parse_schedule
from faults.wire import TargetState
from loadtests.scenario.action_choice import ActionChoice
from loadtests.scenario.disturbances import DipChoice, FaultChoice
from reports.record import Header

SAME_TICKS = 2.5
"""What the target was told begins with one of its ticks, at most so many beside the plan."""


@dataclass(frozen=True, slots=True)
class Planned:
    """Something that is to come, in seconds from the run's begin. No target knows its `id`."""

    id: str
    kind: str
    text: str
    lanes: tuple[str, ...] | None
    start_s: float
    end_s: float


def to_come(
    run: Header, target: TargetState | None, offset_s: float, now_epoch_s: float
) -> list[Planned]:
    """What of a run's plan is yet to come, and is not known to the target."""
    anchor_s, known = run.anchor_epoch_s, _known(target, offset_s)
    width_s = SAME_TICKS * run.tick_s
    return [
        one
        for one in plan_of(run.scenario)
        if anchor_s + one.start_s > now_epoch_s
        and not any(
            kind == one.kind and abs(begin_s - anchor_s - one.start_s) < width_s
            for kind, begin_s in known
        )
    ]


def plan_of(scenario: Mapping[str, object]) -> list[Planned]:
    """The dips, faults and actions of a header; of what cannot be read none is planned."""
    dips = scenario.get("dips")
    try:
        if isinstance(dips, str):
            return [_planned(*each) for each in enumerate(parse_schedule(dips), 1)]
        return [_planned(*each) for each in enumerate(_chosen(scenario), 1)]
    except ValueError:
        return []


def _chosen(scenario: Mapping[str, object]) -> Iterator[Dip | ServiceFault | OperatorAction]:
    """As a scenario's own tables have it, by which a disturbance comes after the warm-up."""
    warm_up = scenario.get("warm_up")
    at_s = parse_duration_s(warm_up) if isinstance(warm_up, str) else 0.0
    for values in _table(scenario, "dips"):
        yield from DipChoice.model_validate(values).dips(at_s)
    for values in _table(scenario, "faults"):
        yield from FaultChoice.model_validate(values).faults(at_s)
    for values in _table(scenario, "actions"):
        yield ActionChoice.model_validate(values).operator_action()


def _table(scenario: Mapping[str, object], name: str) -> Sequence[object]:
    found = scenario.get(name)
    return found if isinstance(found, list | tuple) else ()


def _planned(number: int, one: Dip | ServiceFault | OperatorAction) -> Planned:
    end_s = one.at_s + one.for_s
    match one:
        case Dip():
            kind, end_s = "dip", end_s + one.slow_start_s
        case ServiceFault():
            kind = one.type
        case OperatorAction():
            kind = one.action
    return Planned(f"planned-{number}", kind, one.text, one.lanes, one.at_s, end_s)


def _known(target: TargetState | None, offset_s: float) -> list[tuple[str, float]]:
    """Kind and begin of what the target knows of, in epoch seconds."""
    if target is None:
        return []
    kinds = chain(
        (("dip", dip.start_s) for dip in target.dips),
        ((fault.type, fault.start_s) for fault in target.faults),
        ((action.action, action.start_s) for action in target.actions),
    )
    return [(kind, start_s + offset_s) for kind, start_s in kinds]
