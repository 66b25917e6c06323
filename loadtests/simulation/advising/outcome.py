"""One run of one candidate: its figures, with what did not come about later than any time."""

import math
from dataclasses import dataclass

from loadtests.simulation.measured import Measured, measure
from loadtests.simulation.metered import Simulated


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of one lane."""

    measured: Measured

    @property
    def settled_s(self) -> float:
        """Infinite where it did not recover."""
        found_s = self.measured.back_s
        return math.inf if found_s is None else found_s

    @property
    def goodput_back_s(self) -> float:
        """Infinite where it did not come back."""
        found_s = self.measured.goodput_back_s
        return math.inf if found_s is None else found_s


def run_of(run: Simulated) -> Run:
    """What a simulated run of one lane comes to."""
    return Run(measure(run)[0])
