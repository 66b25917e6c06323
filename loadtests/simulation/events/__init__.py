"""The events engine: one thing after another in continuous time, every feature there is."""

from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.metered import PlayedLane


def play_lane(scenario: Scenario, choice: PolicyChoice) -> PlayedLane:
    """Play one lane of the scenario from beginning to end. Raises `PolicyError`."""
    raise NotImplementedError
