"""Whoever waits for a long simulation is told how far it is."""

import pytest

from loadtests.scenario import parse_scenario
from loadtests.simulation.engines import Engine, choose, simulate, takes_long


@pytest.mark.parametrize(
    ("engine", "admits"),
    [
        (Engine.EVENTS, "in-order"),
        (Engine.EVENTS, "shuffled"),
        (Engine.TICKS, "shuffled"),
    ],
)
def test_each_second_of_each_lane_is_told(engine: Engine, admits: str) -> None:
    """Ten of them in two lanes are twenty."""
    policies = [{"name": "no-retry"}, {"name": "full-jitter"}]
    scenario = parse_scenario(
        {
            "warm_up": "2s",
            "observation": "6s",
            "policies": policies,
            "simulation": {"admits": admits},
        }
    )
    told: list[int] = []
    simulate(scenario, engine, on_second=lambda: told.append(1))
    assert scenario.planned_end_s == 10
    assert len(told) == 20


@pytest.mark.parametrize(("admits", "long"), [("in-order", True), ("shuffled", False)])
def test_it_is_said_beforehand_what_takes_minutes(admits: str, long: bool) -> None:
    """Twenty million requests one by one; counts of as many take no time."""
    scenario = parse_scenario(
        {
            "load": {"rate": "95000/s"},
            "target": {"capacity": "100000/s"},
            "simulation": {"admits": admits},
        }
    )
    said = takes_long(scenario, choose(scenario))
    assert (said is not None) == long
    assert said is None or "20 million requests" in said
