"""What a run's scenario was predicted to bring: made by simulation elsewhere, shown here.

It is drawn over what was measured and set beside it. Nothing in here knows how it was made.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from reports.measuring.recovery import Recovery

Predictor = Callable[[Path], "Prediction"]
"""Predicts the run at a path. Raises `ValueError`, in one line, where that cannot be."""


@dataclass(frozen=True)
class Range:
    """One figure over all predictions: the least, the median and the most.

    `None` is a moment that did not come, later than all others.
    """

    low: float | None
    median: float | None
    high: float | None

    def holds(self, value: float | None) -> bool:
        """Whether `value` is no less than the least and no more than the most."""
        error = 1e-6  # of adding up tenths of a second
        return _late(self.low) - error <= _late(value) <= _late(self.high) + error


@dataclass(frozen=True)
class Band:
    """Offered load tick by tick, in attempts per second: 90% of the predictions, and the median.

    The median is of each tick and its neighbours, so that it shows no ups and downs from one tick
    to the next, which are chance. `t_s` is where each tick begins, in seconds from where the
    measured lane is drawn from.
    """

    t_s: tuple[float, ...]
    low_per_s: tuple[float, ...]
    median_per_s: tuple[float, ...]
    high_per_s: tuple[float, ...]


@dataclass(frozen=True)
class PredictedLane:
    """One lane. What is measured after a trigger is `None` where none is predicted."""

    lane: str
    peak_per_s: Range
    first_fit_s: Range | None
    settled_s: Range | None
    failed: Range
    attempts: Range
    band: Band


@dataclass(frozen=True)
class Prediction:
    """So many simulated runs of the scenario, each with a seed of its own from `seed` on.

    `notes` say, in words, in what the prediction is not of this run as it was.
    """

    runs: int
    seed: int
    engine: str
    notes: tuple[str, ...]
    lanes: tuple[PredictedLane, ...]

    def of(self, lane: str) -> PredictedLane | None:
        """The prediction of this lane; `None` for one that the scenario does not know."""
        return next((found for found in self.lanes if found.lane == lane), None)

    @property
    def outside_by_chance(self) -> float:
        """How often one more run of the same kind has a figure outside of the range of these.

        ``2 / (runs + 1)``: each of them all is as likely to be the least, and the most.
        """
        return 2 / (self.runs + 1)


def settled_s(policy: Recovery) -> float | None:
    """When the lane had settled; `None` where it did not recover."""
    after = policy.after
    return after.settled_s if after and after.recovered else None


def first_fit_s(policy: Recovery) -> float | None:
    """When the lane's load first fitted; `None` where it never did."""
    return policy.after.first_fit_s if policy.after else None


def range_of(values: Sequence[float | None]) -> Range:
    """The range of one figure over some runs, of which there is one at least."""
    late = [_late(value) for value in values]
    ends = min(late), median(late), max(late)
    return Range(*(None if math.isinf(end) else end for end in ends))


def _late(value: float | None) -> float:
    return math.inf if value is None else value
