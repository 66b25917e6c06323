"""Small lanes in whole ticks, for both engines."""

from loadtests.scenario import Scenario, parse_scenario
from loadtests.simulation import events, ticks
from loadtests.simulation.metered import PlayedLane

PolicyTable = dict[str, object]


def a_scenario(policy: PolicyTable, **tables: object) -> Scenario:
    """Ten requests a tick for six seconds, and room for ten and a half but for a dip of a second.

    `admits` and any table of a scenario can be given.
    """
    admits = tables.pop("admits", "shuffled")
    return parse_scenario(
        {
            "warm_up": "1s",
            "observation": "4s",
            "load": {"rate": "100/s"},
            "target": {"capacity": "105/s"},
            "simulation": {"admits": admits},
            "dips": [{"capacity": "20%", "for": "1s"}],
            "policies": [policy],
            **tables,
        }
    )


def by_request(scenario: Scenario) -> PlayedLane:
    """Its first lane, request by request."""
    return events.play_lane(scenario, scenario.policies[0])


def by_count(scenario: Scenario) -> PlayedLane:
    """Its first lane, whole ticks at a time."""
    return ticks.play_lane(scenario, scenario.policies[0])


def with_seed(scenario: Scenario, seed: int) -> Scenario:
    return scenario.model_copy(update={"seed": seed})


def failed(lane: PlayedLane) -> int:
    return sum(int(counts.sum()) for counts in lane.clients.failed.values())
