"""One rule held against one lane: whether it is kept, and if not why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from reports.judging.gate.rules import Rule
from reports.judging.gate.samples import Sample, mostly_within
from reports.measuring.sampling import Sampled
from reports.statistics.shares import confidence_that_median_at_most, runs_needed


class Why(Enum):
    """Why a rule is kept or broken."""

    KEPT = "kept"
    ABOVE = "above the limit"
    TOO_BRIEF = "not watched for long enough"
    NOT_MEASURED = "not measured"
    TOO_FEW = "too few samples"
    NOT_SURE = "not sure enough"
    UNLIKE = "unlike triggers"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule held against one lane.

    `within` of `n` samples keep it: they are the triggers or, where `by_run`, the runs. `worst` is
    the trigger that keeps it least of those that were measured, and `unmeasured` is how many were
    not, `unsettled` of them because they began too early. `bound` is the most that the measure may
    be, and `trigger` the type, where these are the same for all. With a confidence, `sure` is how
    certain it is that the median keeps the limit, and `needed` how many samples it takes at least
    to be certain enough.
    """

    rule: Rule
    lane: str
    title: str
    policy: str
    why: Why
    n: int
    within: int
    runs: int
    triggers: int
    worst: Sample | None
    unmeasured: int
    unsettled: int
    bound: float | None
    trigger: str
    sure: float | None = None
    needed: int | None = None

    @property
    def kept(self) -> bool:
        """Whether the lane keeps the rule."""
        return self.why is Why.KEPT

    @property
    def by_run(self) -> bool:
        """Whether runs are the samples: those that keep it most times are within."""
        return _by_run(self.rule, self.runs, self.triggers)

    @property
    def alone(self) -> bool:
        """Whether all triggers are of one run: what is sure then is of this one alone."""
        return self.runs == 1 < self.triggers


def _by_run(rule: Rule, runs: int, triggers: int) -> bool:
    """A confidence is of what is independent: what sets a run apart, all of its triggers have."""
    return rule.confidence is not None and 1 < runs < triggers


def finding_of(rule: Rule, lane: Sampled, runs: Sequence[tuple[Sample, ...]]) -> Finding:
    """`runs` are the samples of each run; of some there are none, where the lane is not there."""
    samples = tuple(sample for run in runs for sample in run)
    there = [run for run in runs if run]
    by_run = _by_run(rule, len(there), len(samples))
    keeping = [mostly_within(run) for run in there] if by_run else [one.within for one in samples]
    measured = [sample for sample in samples if sample.measured]
    n, within = len(keeping), sum(keeping)
    bounds = {sample.bound for sample in measured}
    # Of several that are one trigger a limit is a multiple of the whole, and not of a dip.
    triggers = [sample.trigger for sample in samples if sample.trigger]
    types = {one.type if one.together == 1 else "" for one in triggers}
    sure = needed = None
    if rule.confidence is not None:
        sure = confidence_that_median_at_most(within, n)
        needed = runs_needed(rule.confidence)
    return Finding(
        rule=rule,
        lane=lane.lane,
        title=lane.title,
        policy=lane.policy,
        why=next(_reasons(rule, samples, n, sure, needed), Why.KEPT),
        n=n,
        within=within,
        runs=len(there),
        triggers=len(samples),
        worst=max(measured, key=lambda sample: sample.excess, default=None),
        unmeasured=len(samples) - len(measured),
        unsettled=sum(sample.unsettled for sample in samples),
        bound=bounds.pop() if len(bounds) == 1 else None,
        trigger=types.pop() if len(types) == 1 else "",
        sure=sure,
        needed=needed,
    )


def _reasons(
    rule: Rule, samples: Sequence[Sample], n: int, sure: float | None, needed: int | None
) -> Iterator[Why]:
    """Why it is broken, the first reason the most telling one; none where it is kept."""
    if rule.confidence is None or sure is None or needed is None:
        yield from _reasons_for_each(samples)
        return
    if len({sample.kind for sample in samples if not sample.unsettled}) > 1:
        yield Why.UNLIKE
    if n < needed:
        yield Why.TOO_FEW
    if sure < rule.confidence:
        yield Why.NOT_SURE


def _reasons_for_each(samples: Sequence[Sample]) -> Iterator[Why]:
    broken = [sample for sample in samples if not sample.within]
    if any(sample.measured and not sample.too_brief for sample in broken):
        yield Why.ABOVE
    if any(sample.too_brief for sample in broken):
        yield Why.TOO_BRIEF
    if broken:
        yield Why.NOT_MEASURED
