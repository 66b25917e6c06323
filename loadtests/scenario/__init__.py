"""One scenario: who sends what, what goes wrong, and how long we watch. Frozen and validated.

Read from TOML; it drives a live run and a simulated one alike.
"""

from loadtests.scenario.action_choice import ActionChoice
from loadtests.scenario.disturbances import DipChoice, FaultChoice, SpikeChoice
from loadtests.scenario.errors import ScenarioError
from loadtests.scenario.load import Load
from loadtests.scenario.policy_choice import MAX_LAYERS, PolicyChoice, choose_policy
from loadtests.scenario.reading import load_scenario_values, parse_scenario
from loadtests.scenario.scenario import ARTICLE_000, Scenario
from loadtests.scenario.simulation import Admits, Simulation
from loadtests.scenario.target import Target

__all__ = [
    "ARTICLE_000",
    "MAX_LAYERS",
    "ActionChoice",
    "Admits",
    "DipChoice",
    "FaultChoice",
    "Load",
    "PolicyChoice",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "SpikeChoice",
    "Target",
    "choose_policy",
    "load_scenario_values",
    "parse_scenario",
]
