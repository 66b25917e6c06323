"""The events engine: one thing after another in continuous time, every feature there is."""

from loadtests.scenario import Admits, PolicyChoice, Scenario
from loadtests.simulation.events.playing import play
from loadtests.simulation.metered import PlayedLane


def play_lane(scenario: Scenario, choice: PolicyChoice) -> PlayedLane:
    """Play one lane of the scenario from beginning to end.

    Raises `PolicyError`, and `ScenarioError` where there is no end of it.
    """
    if scenario.simulation.admits is not Admits.IN_ORDER:
        from loadtests.simulation.events import rounds  # noqa: PLC0415

        return rounds.play_lane(scenario, choice)
    return play(scenario, choice)
