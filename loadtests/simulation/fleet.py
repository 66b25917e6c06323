"""The clients that load a lane: how many there are, and how many states they have."""

from random import Random

from loadtests.opaque.base import OpaqueSource
from loadtests.policies.scope import StateScope
from loadtests.policy_names import PolicySource
from loadtests.scenario import PolicyChoice, Scenario, ScenarioError
from reports.record import Lane


def source_of(choice: PolicyChoice) -> PolicySource:
    """The policy of a lane. Raises `ScenarioError` for a real library, which `choose` tells of."""
    source = choice.source()
    if isinstance(source, OpaqueSource):
        raise ScenarioError(f"policies: {choice.name} is a real library: it cannot be simulated")
    return source


def states_of(scenario: Scenario, choice: PolicyChoice) -> int:
    """How many states of the policy there are. Of clients there are `scale` times as many."""
    if choice.scope is StateScope.CLIENT:
        return max(1, round(choice.clients * scenario.simulation.scale))
    return choice.processes if choice.scope is StateScope.PROCESS else 1


def jitter_of(scenario: Scenario, choice: PolicyChoice) -> Random:
    """Where the clients of a lane draw."""
    return Random(f"{scenario.seed}/jitter-{choice.lane_name}-{choice.name}/simulation")


def lane_line(scenario: Scenario, choice: PolicyChoice) -> Lane:
    """The lane as the record's header has it, with its clients where there are several."""
    text = source_of(choice).describe()
    if choice.clients > 1:
        clients = max(1, round(choice.clients * scenario.simulation.scale))
        text += f"; clients: {clients}, {states_of(scenario, choice)} states between them"
    return Lane(choice.lane_name, choice.name, text)
