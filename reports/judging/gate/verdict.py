"""Whether runs keep their rules: a finding for each rule and lane, and the verdict of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reports.judging.gate.finding import Finding, finding_of
from reports.judging.gate.rules import Rule, is_named
from reports.judging.gate.samples import samples_of
from reports.measuring.sampling import SampledRun


class Outcome(Enum):
    """What all of it comes to."""

    KEPT = "pass"
    BROKEN = "breach"
    NOT_VALID = "not valid"


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
        finding_of(rule, lane, [samples_of(rule, lane.lane, run) for run in runs])
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
