"""The ticks engine: whole ticks at a time, by counts instead of requests."""

from loadtests.scenario import PolicyChoice, Scenario
from loadtests.simulation.metered import PlayedLane


def why_not(scenario: Scenario, choice: PolicyChoice) -> str | None:
    """What of this lane the engine cannot do, as a clause; None: it can."""
    del scenario, choice
    return "it is not there yet"


def play_lane(scenario: Scenario, choice: PolicyChoice) -> PlayedLane:
    """Play one lane of the scenario from beginning to end."""
    raise NotImplementedError
