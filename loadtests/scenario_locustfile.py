"""The locustfile of `aftershock run`: one user class per policy of the scenario."""

import os
from pathlib import Path

from loadtests.scenario import load_scenario_values, parse_scenario
from loadtests.settings import SCENARIO_VARIABLE
from loadtests.user_classes import user_classes

_scenario = parse_scenario(load_scenario_values(Path(os.environ[SCENARIO_VARIABLE])))
# Locust takes the user classes that it finds among a locustfile's names.
globals().update(
    user_classes(
        _scenario.policies,
        path=_scenario.load.path,
        timeout_s=_scenario.load.timeout_s,
        deadlines=_scenario.load.deadlines,
        fixed_count=1,
    )
)
