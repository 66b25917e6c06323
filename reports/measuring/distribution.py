"""One lane over several samples: the dips of a run, several runs, or many simulated seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reports.measuring.catalogue import MEASURES
from reports.measuring.recovery import Episode, Figures, Recovery
from reports.statistics.shares import share_interval
from reports.statistics.summary import Summary, summarise_sets

SEVERAL = 2


@dataclass(frozen=True)
class Distribution:
    """How each measure of a lane is distributed; `summaries` are by its name.

    The samples are of so many `runs`. Those of a run have much in common: all that is sure is over
    `sets` of samples, one a run, unless there is that run alone. A measure that could not be taken
    of every sample is not in there. `left_out` triggers met a lane that was not over the one
    before, and are no samples. `recovered_interval` is where the share of sets lies in all samples
    of which the lane recovers, with 95% confidence.
    """

    title: str
    lane: str
    policy: str
    samples: tuple[Figures, ...]
    runs: int
    left_out: int
    summaries: Mapping[str, Summary]
    recovered: int
    recovered_sets: int
    recovered_interval: tuple[float, float]

    @property
    def sets(self) -> int:
        """What is counted once: a run of several, or each sample of one alone."""
        return self.runs if self.runs > 1 else len(self.samples)

    @property
    def repeated(self) -> bool:
        """Whether a set has several samples."""
        return len(self.samples) > self.sets

    @property
    def of_one_run(self) -> bool:
        """Whether it says nothing of other runs, which may differ by more."""
        return self.runs == 1 and len(self.samples) > 1

    @property
    def lost(self) -> int:
        """Samples in which the lane did not recover while it was watched."""
        return len(self.samples) - self.recovered

    @property
    def lingering(self) -> int:
        """Samples in which retries went on to the end after the load had settled."""
        afters = [one.after for one in self.samples if one.after]
        return sum(after.lingering_per_s is not None for after in afters)


def distribution_of(
    title: str, runs: Sequence[Sequence[Figures]], left_out: int = 0
) -> Distribution:
    """Of one sample at least. Where nothing disturbed the lane, it counts as recovered.

    Of runs that gave several samples the median is that of the runs' medians; of one run alone
    its samples stand for themselves.
    """
    given = [run for run in runs if run]
    sets = given if len(given) > 1 else [[one] for run in given for one in run]
    samples = [one for run in sets for one in run]
    summaries = {}
    for measure in MEASURES:
        values = [[value for one in run if (value := measure.of(one)) is not None] for run in sets]
        if sum(map(len, values)) == len(samples):
            summaries[measure.name] = summarise_sets(values)
    recovered = [[one.after is None or one.after.recovered for one in run] for run in sets]
    recovered_sets = sum(map(all, recovered))
    return Distribution(
        title=title,
        lane=samples[0].lane,
        policy=samples[0].policy,
        samples=tuple(samples),
        runs=len(given),
        left_out=left_out,
        summaries=summaries,
        recovered=sum(map(sum, recovered)),
        recovered_sets=recovered_sets,
        recovered_interval=share_interval(recovered_sets, len(sets)),
    )


def of_run(lanes: Iterable[Recovery]) -> tuple[Distribution, ...]:
    """Of lanes whose triggers were all alike, if they give any lane several samples; else none.

    Where each began in the storm of the one before there is one sample at most: such a run is
    measured after the last.
    """
    repeated = [lane for lane in lanes if lane.episodes]
    most = max((len(samples_of(lane)) for lane in repeated), default=0)
    if most < SEVERAL or not all(repeats_one(lane.episodes) for lane in repeated):
        return ()
    return tuple(
        distribution_of(lane.title, [samples_of(lane)], left_out(lane.episodes))
        for lane in repeated
        if samples_of(lane)
    )


def samples_of(lane: Recovery) -> tuple[Figures, ...]:
    """What was measured of the lane's triggers that met a steady state; the first always did."""
    return steady(lane.episodes)


def steady(episodes: Iterable[Episode]) -> tuple[Figures, ...]:
    """Likewise, of its triggers; but for one that it is too soon to tell of, as the run goes on."""
    return tuple(
        one.figures
        for one in episodes
        if not one.began_unsettled and not (one.figures.after and one.figures.after.too_soon)
    )


def left_out(episodes: Iterable[Episode]) -> int:
    """How many triggers met a lane that was not over the one before."""
    return sum(one.began_unsettled for one in episodes)


def repeats_one(episodes: Iterable[Episode]) -> bool:
    """Whether the triggers are repetitions of one: then they tell how it is distributed."""
    return len({one.kind for one in episodes if one.kind}) == 1
