"""What a live run refuses before it starts anything."""

import pytest

from loadtests.policies.scope import MAX_CLIENTS, MAX_OBJECTS
from loadtests.run import check_clients
from loadtests.scenario import ScenarioError, parse_scenario


def test_a_live_run_has_fewer_clients_than_a_simulation_may_have() -> None:
    """Each is an object there; one line says how many are allowed."""
    for clients, allowed in ((MAX_OBJECTS, True), (MAX_CLIENTS, False)):
        policies = [{"name": "full-jitter-budget", "scope": "client", "clients": clients}]
        scenario = parse_scenario({"policies": policies})
        if allowed:
            check_clients(scenario)
            continue
        with pytest.raises(ScenarioError, match=f"clients is {clients}: expected at most"):
            check_clients(scenario)
