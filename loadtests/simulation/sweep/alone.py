"""A scenario cut to one lane, and the same with a disturbance that is far larger."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from aftershock_units import format_duration
from loadtests.scenario import (
    ActionChoice,
    DipChoice,
    FaultChoice,
    Scenario,
    ScenarioError,
    SpikeChoice,
)
from loadtests.scenario.disturbances import Disturbance
from loadtests.scenario.fields import LONGEST_S

OUTAGE_TIMES = 10.0
LEAST_OUTAGE_S = 30.0
Choice = TypeVar("Choice", DipChoice, FaultChoice, SpikeChoice)
Event = TypeVar("Event", DipChoice, FaultChoice, SpikeChoice, ActionChoice)


def only_lane(scenario: Scenario, lane: str) -> Scenario:
    """The scenario of one lane: its policy and what happens to it. Lanes share nothing.

    Raises `ScenarioError` where nothing happens to it.
    """

    def concerned(events: Sequence[Event]) -> tuple[Event, ...]:
        return tuple(
            event.model_copy(update={"lanes": None})
            for event in events
            if event.lanes is None or lane in event.lanes
        )

    alone = scenario.model_copy(
        update={
            "policies": tuple(c for c in scenario.policies if c.lane_name == lane),
            "dips": concerned(scenario.dips),
            "faults": concerned(scenario.faults),
            "spikes": concerned(scenario.spikes),
            "actions": concerned(scenario.actions),
            "check": (),
        }
    )
    if not (alone.dips or alone.faults or alone.spikes):
        raise ScenarioError(
            f"policies: nothing goes wrong in the lane {lane}, so it has nothing to recover from: "
            "expected a dip, a fault or a spike"
        )
    return alone


def with_outage(scenario: Scenario) -> Scenario:
    """The scenario with an outage in the place of its last disturbance, and as early.

    The outage takes all capacity and lasts max(10 · the disturbance, 30 s), at most 1 h: it is to
    be larger than anything swept, and longer than clients wait and than a queue takes to fill, so
    that more of it would not change what it leaves behind. What an operator does after the
    disturbance comes as much later as the outage ends later.
    """
    events = (*scenario.dips, *scenario.faults, *scenario.spikes)
    last = max(events, key=lambda event: event.end_s(scenario.warm_up_s))
    at_s = last.begins_s(scenario.warm_up_s)[-1]
    end_s = at_s + last.lasts_s
    for_s = min(LONGEST_S, max(OUTAGE_TIMES * last.lasts_s, LEAST_OUTAGE_S))
    outage = DipChoice.model_validate(
        {"capacity": "0%", "at": format_duration(at_s), "for": format_duration(for_s)}
    )
    later_s = at_s + for_s - end_s
    return scenario.model_copy(
        update={
            "dips": (*_without(last, scenario.dips), outage),
            "faults": tuple(_without(last, scenario.faults)),
            "spikes": tuple(_without(last, scenario.spikes)),
            "actions": tuple(_later(action, end_s, later_s) for action in scenario.actions),
        }
    )


def _without(last: Disturbance, events: Sequence[Choice]) -> Iterator[Choice]:
    """All but `last`; of what is repeated only the last time is left out."""
    for event in events:
        left = event.but_the_last() if event is last else event
        if left is not None:
            yield left


def _later(action: ActionChoice, after_s: float, by_s: float) -> ActionChoice:
    if action.at_s < after_s:
        return action
    return action.model_copy(update={"at_s": action.at_s + by_s})
