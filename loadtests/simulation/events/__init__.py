"""The events engine: one thing after another in continuous time, every feature there is.

`playing` is the loop, over what is planned in the `agenda`. `clients` drive their requests through
their policies, and `gateways` what arrives at them, both as a `carriage` does; what they send is an
`attempt` and comes to the `service`. `seen` and `meter` are what is counted. `rounds` is for ticks
that admit by chance: then time moves in whole ticks.
"""

import math

from loadtests.scenario import Admits, PolicyChoice, Scenario
from loadtests.simulation.events import rounds
from loadtests.simulation.events.playing import play
from loadtests.simulation.metered import PlayedLane
from loadtests.simulation.stage import Told, told_nobody


def play_lane(
    scenario: Scenario,
    choice: PolicyChoice,
    until_s: float = math.inf,
    on_second: Told = told_nobody,
) -> PlayedLane:
    """Play one lane of the scenario from beginning to end, or only up to `until_s`.

    Raises `PolicyError`, and `ScenarioError` where there is no end of it.
    """
    if scenario.simulation.admits is Admits.IN_ORDER:
        return play(scenario, choice, until_s, on_second)
    return rounds.play_lane(scenario, choice, until_s, on_second)
