"""How many attempts of a lane are played: some policies retry without end."""

from loadtests.scenario import PolicyChoice, ScenarioError
from loadtests.simulation.stage import Stage
from loadtests.simulation.whole_ticks import expected_arrivals

FEW_ATTEMPTS = 2_000_000
"""So many are always played, in less than a minute."""
MOST_A_REQUEST = 100
"""On average, beyond the few: a policy that makes more of them does nothing else."""
MOST_ATTEMPTS = 50_000_000
"""In one lane: nobody would wait for the end of more."""


class Bounds:
    """Counts the attempts of one lane up to what is played."""

    def __init__(self, stage: Stage, choice: PolicyChoice) -> None:
        """Raises `ScenarioError` where its requests alone are too many."""
        arrivals = expected_arrivals(stage)
        self._requests = round(arrivals[-1]) if arrivals else 0
        self._most = min(MOST_ATTEMPTS, max(FEW_ATTEMPTS, MOST_A_REQUEST * self._requests))
        self._choice = choice
        self.check(self._requests)

    def check(self, attempts: int) -> None:
        """Raises `ScenarioError` where so many are too many."""
        if attempts <= self._most:
            return
        own = self._choice.lane_name
        who = f"lane {own!r}" if own == self._choice.name else f"lane {own!r} ({self._choice.name})"
        raise ScenarioError(
            f"{who} makes more than {self._most:,} attempts for {self._requests:,} requests: "
            "give its policy fewer attempts or longer waits, or simulate less load or less time"
        )
