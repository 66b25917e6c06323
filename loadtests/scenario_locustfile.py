"""The locustfile of `aftershock run`: one user class per policy of the scenario."""

import os
from pathlib import Path

from locust import task

from loadtests.scenario import PolicyChoice, Scenario, load_scenario_values, parse_scenario
from loadtests.settings import SCENARIO_VARIABLE
from loadtests.users import OpenLoopUser


def _user_class(number: int, choice: PolicyChoice, scenario: Scenario) -> type[OpenLoopUser]:
    def request(user: OpenLoopUser) -> None:
        user.client.get(scenario.load.path)

    attributes = {
        "retry_policy": choice.source(),
        "state_scope": choice.scope,
        "clients": choice.clients,
        "processes": choice.processes,
        "lane": choice.lane_name,
        "timeout_s": scenario.load.timeout_s,
        "fixed_count": 1,
        "request": task(request),
    }
    return type(f"Policy{number}", (OpenLoopUser,), attributes)


_scenario = parse_scenario(load_scenario_values(Path(os.environ[SCENARIO_VARIABLE])))
# Locust takes the user classes that it finds among a locustfile's names.
globals().update(
    {
        f"Policy{number}": _user_class(number, choice, _scenario)
        for number, choice in enumerate(_scenario.policies, start=1)
    }
)
