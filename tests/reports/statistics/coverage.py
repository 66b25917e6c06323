"""How often a median's interval holds it: ``python -m tests.reports.statistics.coverage 1000``.

The table in docs/statistics.md comes from here; the tests look at some of its rows.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.statistics.bootstrap import median_interval
from reports.statistics.value import Value

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
Interval = Callable[[Sequence[Value]], tuple[Value, Value] | None]
SIZES = (6, 7, 10, 20, 30)


def some_at_0(draw: np.random.Generator, n: int) -> Floats:
    """Two in five settle at once."""
    return np.where(draw.random(n) < 0.4, 0.0, draw.exponential(1.0, n))


DISTRIBUTIONS: dict[str, tuple[Draw, float]] = {
    "exponential": (lambda draw, n: draw.exponential(1.0, n), math.log(2)),
    "lognormal": (lambda draw, n: draw.lognormal(0.0, 1.0, n), 1.0),
    "40% at 0, else exponential": (some_at_0, math.log(0.6 / 0.5)),
    "Poisson, mean 3": (lambda draw, n: draw.poisson(3.0, n).astype(float), 3.0),
}
"""Each with its true median."""


@dataclass(frozen=True)
class Watch:
    """How long samples are watched: until about `share` are late, all equally long or each not."""

    share: float = 0.0
    unequal: bool = False

    def __str__(self) -> str:
        kind = "unequal times" if self.unequal else "one time"
        return f"{self.share:.0%} late, {kind}" if self.share else "none late"

    def times(self, distribution: Draw) -> Draw:
        """Drawn independently of the samples: one time for all, or evenly from 0 to a longest."""
        if not self.share:
            return lambda _, n: np.full(n, math.inf)
        draw = np.random.default_rng(1)
        many = distribution(draw, 100_000)
        if not self.unequal:
            end = float(np.quantile(many, 1 - self.share, method="higher"))
            return lambda _, n: np.full(n, end)
        longest = float(np.quantile(many / (1 - draw.random(many.size)), 1 - self.share))
        return lambda draw, n: longest * draw.random(n)


WATCHES = (Watch(), Watch(0.2, unequal=True), Watch(0.4, unequal=True))
"""Not one time for all: later than the median it is as with none late."""


def sample(draw: np.random.Generator, n: int, distribution: Draw, times: Draw) -> list[Value]:
    """`n` values, late where they would have come about after their time."""
    true, watched = distribution(draw, n), times(draw, n)
    pairs = zip(true, watched, strict=True)
    return [Value(float(min(value, end)), bool(value > end)) for value, end in pairs]


def holds(interval: tuple[Value, Value] | None, truth: float) -> bool:
    """Whether the truth lies in it; a late end is open above."""
    if interval is None:
        return False
    low, high = interval
    return low.amount <= truth and (high.late or truth <= high.amount)


def coverage(name: str, watch: Watch, n: int, sets: int, interval: Interval) -> float:
    """The share of so many sets of `n` of which the interval holds the true median."""
    distribution, truth = DISTRIBUTIONS[name]
    times, draw = watch.times(distribution), np.random.default_rng([n, sets])
    found = [interval(sample(draw, n, distribution, times)) for _ in range(sets)]
    return sum(holds(one, truth) for one in found) / sets


def main(sets: int) -> None:
    """Print a row for each distribution and watch, a column for each size."""
    print("| samples | watched | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("| --- | --- |" + " --- |" * len(SIZES))
    for name in DISTRIBUTIONS:
        for watch in WATCHES:
            held = [coverage(name, watch, n, sets, median_interval) for n in SIZES]
            print(f"| {name} | {watch} | " + " | ".join(f"{share:.1%}" for share in held) + " |")


if __name__ == "__main__":
    main(int(sys.argv[1]))
