"""Whether runs keep their rules: a finding for each rule and lane, and the verdict of all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from reports.judging.gate.rules import Rule, is_named
from reports.judging.gate.samples import Sample, samples_of
from reports.measuring.sampling import Sampled, SampledRun
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


class Outcome(Enum):
    """What all of it comes to."""

    KEPT = "pass"
    BROKEN = "breach"
    NOT_VALID = "not valid"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule held against one lane.

    `worst` is the sample that keeps it least of those that were measured, and `unmeasured` is how
    many were not, `unsettled` of them because they began too early. `bound` is the most that the
    measure may be, and `trigger` the type, where these are the same for all. With a confidence,
    `sure` is how certain it is that the median keeps the limit, and `needed` how many samples it
    takes at least to be certain enough.
    """

    rule: Rule
    lane: str
    title: str
    policy: str
    why: Why
    n: int
    within: int
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that is said of the runs. Renderers show it and compute nothing."""

    runs: tuple[SampledRun, ...]
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> Outcome:
        """A result that is not valid never passes, whatever the rules say."""
        if not all(run.valid for run in self.runs):
            return Outcome.NOT_VALID
        return Outcome.KEPT if all(found.kept for found in self.findings) else Outcome.BROKEN

    @property
    def not_valid(self) -> tuple[SampledRun, ...]:
        """The runs that nothing can be said of."""
        return tuple(run for run in self.runs if not run.valid)

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings of rules that are not kept."""
        return tuple(found for found in self.findings if not found.kept)


def judge(
    rules: Sequence[Rule], runs: Sequence[SampledRun], policies: Sequence[str] = ()
) -> Verdict:
    """Hold each rule against each lane that it concerns, lane by lane; of `policies`, if any.

    These are names of lanes or of policies, as those in rules are. Raises `ValueError` where one
    is of nothing that a run has, or nothing is judged.
    """
    for rule in rules:
        _check_known(policies or rule.policies or (), runs)
    lanes = {
        lane.lane: lane
        for run in runs
        for lane in run.lanes
        if not policies or is_named(lane, policies)
    }
    findings = tuple(
        _finding(rule, lane, tuple(samples_of(rule, lane.lane, runs)))
        for lane in lanes.values()
        for rule in rules
        if rule.concerns(lane)
    )
    if not findings and policies:
        raise ValueError(f"no limit is set for {', '.join(name[:64] for name in policies)}")
    if not findings and all(run.valid for run in runs):
        raise ValueError("there is no lane to judge")
    return Verdict(tuple(runs), findings)


def _check_known(policies: Sequence[str], runs: Sequence[SampledRun]) -> None:
    for run in runs:
        known = dict.fromkeys([lane.lane for lane in run.lanes])
        known |= dict.fromkeys(lane.policy for lane in run.lanes)
        missing = [name for name in policies if name not in known]
        if missing:
            raise ValueError(
                f"{run.name}: unknown lane or policy {missing[0][:64]!r}: "
                f"expected {', '.join(known)}"
            )


def _finding(rule: Rule, lane: Sampled, samples: tuple[Sample, ...]) -> Finding:
    measured = [sample for sample in samples if sample.measured]
    within = sum(sample.within for sample in samples)
    bounds = {sample.bound for sample in measured}
    # Of several that are one trigger a limit is a multiple of the whole, and not of a dip.
    triggers = [sample.trigger for sample in samples if sample.trigger]
    types = {one.type if one.together == 1 else "" for one in triggers}
    sure = needed = None
    if rule.confidence is not None:
        sure = confidence_that_median_at_most(within, len(samples))
        needed = runs_needed(rule.confidence)
    return Finding(
        rule=rule,
        lane=lane.lane,
        title=lane.title,
        policy=lane.policy,
        why=next(_reasons(rule, samples, sure, needed), Why.KEPT),
        n=len(samples),
        within=within,
        worst=max(measured, key=lambda sample: sample.excess, default=None),
        unmeasured=len(samples) - len(measured),
        unsettled=sum(sample.unsettled for sample in samples),
        bound=bounds.pop() if len(bounds) == 1 else None,
        trigger=types.pop() if len(types) == 1 else "",
        sure=sure,
        needed=needed,
    )


def _reasons(
    rule: Rule, samples: Sequence[Sample], sure: float | None, needed: int | None
) -> Iterator[Why]:
    """Why it is broken, the first reason the most telling one; none where it is kept."""
    if rule.confidence is None or sure is None or needed is None:
        yield from _reasons_for_each(samples)
        return
    if len({sample.kind for sample in samples if not sample.unsettled}) > 1:
        yield Why.UNLIKE
    if len(samples) < needed:
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
