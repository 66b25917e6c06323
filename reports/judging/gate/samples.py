"""The runs that rules are held against, and what each sample of them says to a rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports.folding.trigger import Trigger
from reports.judging.gate.rules import Rule
from reports.measuring.recovery import Figures
from reports.measuring.sampling import Sampled
from reports.statistics.value import Value

ROUNDING = 1e-9
"""A value that is above its limit by no more than this part of it is at the limit."""


@dataclass(frozen=True, slots=True)
class CheckedLane:
    """A lane of a run: what was measured of each of its triggers, by their order.

    `None` for one that began before the lane was over the one before: nobody can say what of it is
    whose. Of a lane that nothing disturbed it is the whole run.
    """

    lane: str
    title: str
    policy: str
    each: tuple[Figures | None, ...]


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run, by the name that it is called in a verdict."""

    name: str
    invalid_because: tuple[str, ...]
    lanes: tuple[CheckedLane, ...]

    @property
    def valid(self) -> bool:
        """Whether anything can be said of it."""
        return not self.invalid_because


@dataclass(frozen=True, slots=True)
class Sample:
    """What one trigger of a run says to a rule: the measure's value, and the most it may be.

    Both are `None` where there is no saying; `unsettled`: because the lane was not over the trigger
    before. `trigger` is what the lane was to recover from.
    """

    run: str
    number: int
    value: Value | None
    bound: float | None
    unsettled: bool
    trigger: Trigger | None

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

    @property
    def kind(self) -> tuple[object, ...]:
        """The same for repetitions of one trigger."""
        found = self.trigger
        return (found.type, found.text, found.shape, round(found.length_s, 1)) if found else ()


def checked_lane(lane: Sampled) -> CheckedLane:
    """What rules need of a lane."""
    return CheckedLane(lane.lane, lane.title, lane.policy, lane.each)


def samples_of(rule: Rule, lane: str, runs: Sequence[CheckedRun]) -> Iterator[Sample]:
    """Of every trigger of this lane in any of the runs."""
    for run in runs:
        for found in run.lanes:
            if found.lane == lane:
                for number, figures in enumerate(found.each, 1):
                    yield _sample(rule, run.name, number, figures)


def _sample(rule: Rule, run: str, number: int, figures: Figures | None) -> Sample:
    if figures is None:
        return Sample(run, number, None, None, True, None)
    return Sample(
        run=run,
        number=number,
        value=rule.measure.of(figures),
        bound=rule.limit.bound(rule.measure, figures),
        unsettled=False,
        trigger=figures.trigger,
    )
