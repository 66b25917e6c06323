"""The runs of either side of a comparison: which of them count, and what each lane has in all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reports.folding.conditions import conditions_of, differences
from reports.measuring.recovery import Figures
from reports.measuring.sampling import SampledRun
from reports.text import listed

NAMED = 4
"""So many keys are told by name."""


@dataclass(frozen=True)
class LeftOut:
    """A run that does not count."""

    run: str
    because: str


@dataclass(frozen=True)
class LaneOfSide:
    """One lane over the runs of a side: each is a sample, of which the median is taken.

    `several`: of a run that repeated its trigger, that is the median over each time, but for
    `unsettled` ones, which met a lane that was not over the one before.
    """

    lane: str
    policy: str
    describe: str
    several: bool
    samples: tuple[tuple[Figures, ...], ...]
    unsettled: int


@dataclass(frozen=True)
class Side:
    """What counts of one side, all made under the same `conditions`; without lanes if none does.

    `title` is what it is called, BASE or NEW, and `name` what was given for it. `each_dip`: every
    trigger of a run is a sample of its own. `origins` are the same for copies of a live run; of a
    simulated one a policy's own code may have changed, which no header tells.
    """

    title: str
    name: str
    runs: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    conditions: Mapping[str, str]
    lanes: tuple[LaneOfSide, ...]
    each_dip: bool = False
    origins: frozenset[tuple[object, ...]] = frozenset()


def side_of(title: str, name: str, runs: Iterable[SampledRun], *, each_dip: bool = False) -> Side:
    """The side that `runs` make up. Raises `ValueError` when they were not made alike.

    Not valid ones do not count, and of copies one: they would make chance look like a rule. So
    would the dips of a run, which have all in common that sets it apart from other runs, where
    they are samples of their own.
    """
    counted: list[SampledRun] = []
    left_out: list[LeftOut] = []
    for run in runs:
        if because := _why_not(run, counted):
            left_out.append(LeftOut(run.name, because))
        else:
            _check_alike(title, counted, run)
            counted.append(run)
    return Side(
        title=title,
        name=name,
        runs=tuple(run.name for run in counted),
        left_out=tuple(left_out),
        conditions=_conditions(counted[0]) if counted else {},
        lanes=tuple(_together(counted, each_dip)),
        each_dip=each_dip,
        origins=frozenset(run.run.origin for run in counted if not run.run.simulated),
    )


def keys(names: Sequence[str]) -> str:
    """Keys in words: ``load.rate, dips.0.for and 2 more``."""
    return listed([name[:60] for name in names], NAMED)


def _why_not(run: SampledRun, counted: Sequence[SampledRun]) -> str:
    """Why the run does not count; empty if it does."""
    if run.invalid_because:
        return f"not valid: {'; '.join(run.invalid_because)}"
    same = next((one.name for one in counted if one.run.origin == run.run.origin), None)
    return f"the same run as {same}" if same is not None else ""


def _conditions(run: SampledRun) -> dict[str, str]:
    return conditions_of(run.run.source, run.run.scenario)


def _check_alike(side: str, counted: Sequence[SampledRun], run: SampledRun) -> None:
    if not counted:
        return
    first = counted[0]
    if different := differences([_conditions(first), _conditions(run)]):
        raise ValueError(
            f"{side}: its runs were not made alike: {first.name} and {run.name} differ in "
            f"{keys(different)}"
        )
    known = {lane.lane: lane for one in counted for lane in one.lanes}
    for lane in run.lanes:
        before = known.get(lane.lane, lane)
        if (before.policy, before.describe) != (lane.policy, lane.describe):
            raise ValueError(
                f"{side}: its runs were not made alike: the policy of {lane.lane} in {run.name} "
                f"is not the one in the runs before"
            )


def _together(runs: Sequence[SampledRun], each_dip: bool) -> Iterator[LaneOfSide]:
    for name in dict.fromkeys(lane.lane for run in runs for lane in run.lanes):
        each = [lane for run in runs for lane in run.lanes if lane.lane == name]
        samples = tuple(lane.samples for lane in each if lane.samples)
        if each_dip:
            samples = tuple((one,) for sample in samples for one in sample)
        yield LaneOfSide(
            lane=name,
            policy=each[0].policy,
            describe=each[0].describe,
            several=any(len(lane.samples) + lane.left_out > 1 for lane in each),
            samples=samples,
            unsettled=sum(lane.left_out for lane in each),
        )
