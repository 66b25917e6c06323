"""One scenario: who sends what, what goes wrong, and how long we watch. Frozen and validated.

Read from TOML; it drives a live run and a simulated one alike.
"""

from loadtests.scenario.disturbances import DipChoice
from loadtests.scenario.errors import ScenarioError
from loadtests.scenario.load import Load, Target
from loadtests.scenario.policy_choice import PolicyChoice, choose_policy
from loadtests.scenario.reading import load_scenario_values, parse_scenario
from loadtests.scenario.scenario import ARTICLE_000, Scenario

__all__ = [
    "ARTICLE_000",
    "DipChoice",
    "Load",
    "PolicyChoice",
    "Scenario",
    "ScenarioError",
    "Target",
    "choose_policy",
    "load_scenario_values",
    "parse_scenario",
]
