"""What the runs of one candidate say: medians, and how far they can be trusted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from loadtests.simulation.advising.candidates import Candidate
from loadtests.simulation.advising.outcome import Run
from loadtests.simulation.ranks import median_ranks

SETTLED_STEP_S = 0.1
"""A tick: what is closer than that is not told apart."""
UNSERVED_STEP = 0.001


@dataclass(frozen=True, slots=True)
class Spread:
    """A median over runs, and the bounds between which the true one lies with 95% confidence."""

    median: float
    low: float
    high: float

    def below(self, other: "Spread", step: float) -> bool:
        """Whether it is less by more than `step`, and than the noise of the runs.

        So where the intervals have nothing in common.
        """
        return self.high < other.low and self.median + step * 1.001 < other.median

    def differs(self, other: "Spread", step: float) -> bool:
        """Whether one of them is below the other."""
        return self.below(other, step) or other.below(self, step)


def spread(values: Sequence[float]) -> Spread:
    """The median with its interval from order statistics, which no outlier and no infinity moves.

    With fewer than six values it is all that was seen.
    """
    ordered = sorted(values)
    low, high = median_ranks(len(ordered)) or (1, len(ordered))
    return Spread(median(ordered), ordered[low - 1], ordered[high - 1])


@dataclass(frozen=True, slots=True)
class Standing:
    """One candidate after its runs. Times are seconds after the end of the last disturbance.

    `settled` is infinite in a run that did not recover, which is later than any time; `goodput`,
    when it was back, likewise. `requests` is their median number in a run.
    """

    candidate: Candidate
    engine: str
    runs: int
    recovered: int
    settled: Spread
    unserved: Spread
    peak_per_s: float
    amplification: float
    goodput: Spread
    observed_s: float
    requests: int

    @property
    def name(self) -> str:
        """Of the candidate."""
        return self.candidate.name

    @property
    def back(self) -> bool:
        """Whether it recovered in more than half of its runs."""
        return math.isfinite(self.settled.median)

    @property
    def answers_later(self) -> bool:
        """Whether goodput is back later than the load by more than noise: nobody is served yet."""
        return self.settled.below(self.goodput, SETTLED_STEP_S)

    @property
    def retries(self) -> bool:
        """Whether it made more attempts than requests."""
        return self.amplification > 1 + 1e-9

    def near(self, first: "Standing") -> bool:
        """Whether its median is no later than what noise makes of the first."""
        return self.settled.median <= first.settled.high + SETTLED_STEP_S * 1.001

    def sooner(self, other: "Standing") -> bool:
        """Whether it settles before the other by more than noise."""
        return self.settled.below(other.settled, SETTLED_STEP_S)

    def as_soon(self, other: "Standing") -> bool:
        """Whether noise tells no difference in when they settle."""
        return not self.settled.differs(other.settled, SETTLED_STEP_S)

    def fails_less(self, other: "Standing") -> bool:
        """Whether fewer of its requests go unserved, by more than noise."""
        return self.unserved.below(other.unserved, UNSERVED_STEP)

    def fails_alike(self, other: "Standing") -> bool:
        """Whether noise tells no difference in the unserved requests."""
        return not self.unserved.differs(other.unserved, UNSERVED_STEP)


def standing(candidate: Candidate, engine: str, runs: Sequence[Run]) -> Standing:
    """The figures of a candidate from its runs, of which there is at least one."""
    measured = [run.measured for run in runs]
    return Standing(
        candidate=candidate,
        engine=engine,
        runs=len(runs),
        recovered=sum(run.recovered for run in measured),
        settled=spread([run.settled_s for run in runs]),
        unserved=spread([run.unserved_share for run in measured]),
        peak_per_s=median(run.peak_per_s for run in measured),
        amplification=median(run.amplification or 1.0 for run in measured),
        goodput=spread([run.goodput_back_s for run in runs]),
        observed_s=min(run.observed_s for run in measured),
        requests=round(median(run.requests for run in measured)),
    )
