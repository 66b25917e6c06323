"""What every candidate faces: one service, one load, one fleet, the same disturbances."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from loadtests.scenario import PolicyChoice, Scenario, ScenarioError, parse_scenario

Values = dict[str, object]
_EVENTS = ("dips", "faults", "spikes", "actions")
_DISTURBANCES = ("dips", "faults", "spikes")


@dataclass(frozen=True)
class Situation:
    """The scenario without its policies, and these: what there is now.

    Who takes the place of one takes its fleet too: `fleet` is the clients, what they share, and
    the gateways that retry behind them.
    """

    values: Values
    have: tuple[PolicyChoice, ...]
    fleet: Values
    lanes_named: bool

    def called(self, choice: PolicyChoice) -> str:
        """What one of those that there are is called: by its lane, where there are several."""
        return choice.name if len(self.have) == 1 else choice.lane_name

    def alone(self, choice: PolicyChoice, changes: Mapping[str, Values] | None = None) -> Scenario:
        """The scenario with this policy only, and with `changes` to its tables.

        Raises `ScenarioError` where that cannot be.
        """
        changed: Values = {
            table: {**cast("Values", self.values.get(table, {})), **settings}
            for table, settings in (changes or {}).items()
        }
        policy = choice.model_dump(mode="json", by_alias=True)
        return parse_scenario({**self.values, **changed, "policies": [policy]})


def situation_of(scenario: Scenario, lane: str | None = None) -> Situation:
    """What the lanes of the scenario have in common, or what one of them faces.

    Raises `ScenarioError` when they differ and none is named, when there is no such lane, and when
    nothing disturbs the service.
    """
    lanes = {choice.lane_name: choice for choice in scenario.policies}
    if lane is not None and lane not in lanes:
        raise ScenarioError(f"--lane: unknown lane {lane[:64]!r}: expected {', '.join(lanes)}")
    chosen = {lane: lanes[lane]} if lane is not None else lanes
    faced = [_faced(scenario, choice) for choice in chosen.values()]
    if any(other != faced[0] for other in faced):
        raise ScenarioError(
            "its lanes differ in what disturbs them, in their clients or in their gateways, and "
            f"advice is for one of them: expected --lane with one of {', '.join(lanes)}"
        )
    events, fleet = faced[0]
    if not any(events[table] for table in _DISTURBANCES):
        raise ScenarioError(
            "dips: nothing disturbs the service, so there is nothing to recover from: "
            "expected a dip, a fault or a spike"
        )
    # What its lanes are asked to keep is not for those that take their place.
    values = scenario.model_dump(mode="json", by_alias=True, exclude={"check"})
    named = any(event.lanes for table in _EVENTS for event in getattr(scenario, table))
    return Situation({**values, **events}, tuple(chosen.values()), fleet, named)


def _faced(scenario: Scenario, choice: PolicyChoice) -> tuple[dict[str, list[Values]], Values]:
    """What happens to a lane, without its name, and its fleet."""
    events = {
        table: [
            {**event.model_dump(mode="json", by_alias=True), "lanes": None}
            for event in getattr(scenario, table)
            if event.lanes is None or choice.lane_name in event.lanes
        ]
        for table in _EVENTS
    }
    fleet: Values = {
        "scope": choice.scope,
        "clients": choice.clients,
        "processes": choice.processes,
        "layers": list(choice.layer_policies),
    }
    return events, fleet
