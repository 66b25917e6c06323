"""Folds the figures of many runs into their distribution, in whatever order they were done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from loadtests.simulation.distribution.figures import FIGURES
from loadtests.simulation.distribution.ranks import median_ranks, percentile, share_interval
from loadtests.simulation.engines import Chosen
from loadtests.simulation.measured import Measured


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured of each lane with one seed, and why the run is not valid, if it is not."""

    seed: int
    lanes: tuple[Measured, ...]
    invalid_because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spread:
    """How one figure is distributed over the runs; infinity: not while it was watched.

    `interval` is that of the median, with 95% confidence; None where there are too few runs.
    """

    p01: float
    p05: float
    median: float
    p95: float
    p99: float
    interval: tuple[float, float] | None

    @property
    def alike(self) -> bool:
        """Whether there is nothing to tell apart."""
        return self.p01 == self.p99


@dataclass(frozen=True, slots=True)
class LaneDistribution:
    """One lane over all runs. `observed_s`: after its last disturbance; 0: there was none.

    `spreads` are by the name of the figure; one that cannot be measured is not there.
    `settled_s` are the times of the runs that recovered, in order.
    """

    lane: str
    policy: str
    observed_s: float
    runs: int
    recovered: int
    recovered_interval: tuple[float, float]
    spreads: Mapping[str, Spread]
    settled_s: tuple[float, ...]

    @property
    def recovered_share(self) -> float:
        """Of the runs, those that came back."""
        return self.recovered / self.runs


@dataclass(frozen=True, slots=True)
class Distribution:
    """All of it. `planned` is how many runs were asked for: one may be stopped before."""

    name: str
    scenario: Mapping[str, object]
    chosen: Chosen
    planned: int
    runs: tuple[Run, ...]
    lanes: tuple[LaneDistribution, ...]

    @property
    def invalid(self) -> tuple[Run, ...]:
        """The runs of which the report would say that they are not valid."""
        return tuple(run for run in self.runs if run.invalid_because)

    @property
    def valid(self) -> bool:
        """Whether most of the runs are."""
        return 2 * len(self.invalid) < len(self.runs)


def summarise(
    name: str, scenario: Mapping[str, object], chosen: Chosen, planned: int, runs: Sequence[Run]
) -> Distribution:
    """The distribution of the runs that are done, at least one; they are ordered by seed."""
    ordered = tuple(sorted(runs, key=lambda run: run.seed))
    ranks = median_ranks(len(ordered))
    lanes = zip(*(run.lanes for run in ordered), strict=True)
    return Distribution(
        name, scenario, chosen, planned, ordered, tuple(_of_lane(lane, ranks) for lane in lanes)
    )


def _of_lane(runs: Sequence[Measured], ranks: tuple[int, int] | None) -> LaneDistribution:
    recovered = sum(run.recovered for run in runs)
    spreads = {}
    for figure in FIGURES:
        values = [value for run in runs if (value := figure.of(run)) is not None]
        if len(values) == len(runs):
            spreads[figure.name] = _spread(sorted(values), ranks)
    return LaneDistribution(
        lane=runs[0].lane,
        policy=runs[0].policy,
        observed_s=runs[0].observed_s,
        runs=len(runs),
        recovered=recovered,
        recovered_interval=share_interval(recovered, len(runs)),
        spreads=spreads,
        settled_s=tuple(sorted(run.back_s for run in runs if run.back_s is not None)),
    )


def _spread(ordered: Sequence[float], ranks: tuple[int, int] | None) -> Spread:
    p01, p05, p95, p99 = (percentile(ordered, percent) for percent in (1, 5, 95, 99))
    interval = (ordered[ranks[0] - 1], ordered[ranks[1] - 1]) if ranks else None
    return Spread(p01, p05, median(ordered), p95, p99, interval)
