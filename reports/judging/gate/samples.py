"""The runs that rules are held against, and what each sample of them says to a rule."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.folding.trigger import Trigger
from reports.judging.gate.rules import Rule
from reports.measuring.recovery import Episode
from reports.measuring.sampling import SampledRun
from reports.statistics.value import Value

ROUNDING = 1e-9
"""A value that is above its limit by no more than this part of it is at the limit."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one trigger of a run says to a rule: the measure's value, and the most it may be.

    Both are `None` where there is no saying; `unsettled`: because the lane was not over the trigger
    before. `trigger` is what the lane was to recover from, and `kind` the same for repetitions of
    one.
    """

    run: str
    number: int
    value: Value | None
    bound: float | None
    unsettled: bool
    trigger: Trigger | None
    kind: tuple[object, ...]

    @property
    def measured(self) -> bool:
        """Whether there is a value, and a limit to hold it against."""
        return self.value is not None and self.bound is not None

    @property
    def within(self) -> bool:
        """Whether the limit was kept for certain. What is late was not seen to keep any."""
        if self.value is None or self.bound is None or self.value.late:
            return False
        return self.value.amount <= self.bound * (1 + ROUNDING)

    @property
    def too_brief(self) -> bool:
        """Whether it was not watched for long enough to tell."""
        if self.value is None or self.bound is None:
            return False
        return self.value.late and self.value.amount < self.bound * (1 - ROUNDING)

    @property
    def excess(self) -> tuple[bool, bool, float]:
        """What sorts those that were measured from the best kept to the worst broken."""
        if self.value is None or self.bound is None:
            raise ValueError("not measured: there is no saying by how much")
        above = not self.within and not self.too_brief
        return above, self.value.late, self.value.amount - self.bound


def samples_of(rule: Rule, lane: str, run: SampledRun) -> tuple[Sample, ...]:
    """Of every trigger of this lane in the run."""
    each = (one for found in run.lanes if found.lane == lane for one in found.each)
    return tuple(_sample(rule, run.name, one) for one in each)


def mostly_within(samples: Sequence[Sample]) -> bool:
    """Whether more than half of them kept the limit for certain: then so did their median."""
    return 2 * sum(sample.within for sample in samples) > len(samples)


def _sample(rule: Rule, run: str, one: Episode) -> Sample:
    """Where the lane was not over the trigger before, nobody can say what of it is whose."""
    if one.began_unsettled:
        return Sample(run, one.number, None, None, True, None, ())
    return Sample(
        run=run,
        number=one.number,
        value=rule.measure.of(one.figures),
        bound=rule.limit.bound(rule.measure, one.figures),
        unsettled=False,
        trigger=one.figures.trigger,
        kind=one.kind,
    )
