"""Several runs in one frozen `Study`: condition by condition, lane by lane."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.folding.run import Run
from reports.folding.windows import HOLD_S, WINDOW_S
from reports.judging.ranking import Standing, best, of_distribution, worst
from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Figures, Recovery
from reports.measuring.sampling import Sampled

LEAST_S = HOLD_S + WINDOW_S
ROUNDING_S = 1e-6


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run in its figures. `left_out_because` it is not valid, or a copy of another; or not."""

    run: Run
    left_out_because: tuple[str, ...]
    lanes: tuple[Sampled, ...]

    @property
    def counts(self) -> bool:
        """Whether its figures are among those of the study."""
        return not self.left_out_because


@dataclass(frozen=True, slots=True)
class StudiedLane:
    """One lane under one condition; without a `distribution` in none of the runs that count.

    `describe`: its policy in words. `present`: some run has it. `disturbed`: there was something to
    recover from. `settled_by` are the times at which samples had settled, each with the share that
    had by then, and `watched_s` how long the longest was watched. `unanswered` samples had many
    requests without an answer at their end. `drawn` is the lane in the run `drawn_from`, where
    charts are to be drawn.
    """

    title: str
    describe: str
    distribution: Distribution | None
    present: bool
    disturbed: bool = False
    settled_by: tuple[tuple[float, float], ...] = ()
    watched_s: float = 0.0
    unanswered: int = 0
    drawn: Recovery | None = None
    drawn_from: str = ""

    @property
    def too_brief(self) -> bool:
        """Whether no sample was watched for as long as it takes to see any lane settle."""
        return self.disturbed and self.watched_s < LEAST_S - ROUNDING_S


@dataclass(frozen=True, slots=True)
class Condition:
    """Runs of one scenario, whatever their seeds.

    `label` is the scenario's name, where it is `named` after that, or else says what differs from
    the others. `differs` has all the keys of that, with what they are here. `lanes` are those of
    the study, in the same order under each condition.
    """

    label: str
    differs: Mapping[str, str]
    runs: tuple[StudyRun, ...]
    lanes: tuple[StudiedLane, ...]
    notes: tuple[str, ...] = ()
    named: bool = False

    @property
    def own(self) -> tuple[StudiedLane, ...]:
        """Those lanes that its runs have."""
        return tuple(lane for lane in self.lanes if lane.present)

    @property
    def left_out(self) -> tuple[StudyRun, ...]:
        """The runs that do not count."""
        return tuple(run for run in self.runs if not run.counts)

    @property
    def counted(self) -> int:
        """How many do."""
        return len(self.runs) - len(self.left_out)

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """Of the lanes that were in runs that count."""
        return tuple(lane.distribution for lane in self.lanes if lane.distribution)

    @property
    def eventful(self) -> bool:
        """Whether the service did anything besides answering."""
        samples = (one for each in self.distributions for one in each.samples)
        return any(one.service.eventful for one in samples)


@dataclass(frozen=True, slots=True)
class Placed:
    """A lane under a condition, which is the `number`th from 0 on."""

    number: int
    condition: Condition
    lane: StudiedLane
    distribution: Distribution


@dataclass(frozen=True, slots=True)
class Study:
    """All that is said of several runs. Renderers show it and compute nothing.

    `planned` is how many there were to be: a simulation may be stopped before.
    """

    conditions: tuple[Condition, ...]
    planned: int
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[StudyRun, ...]:
        """All of them, those left out too."""
        return tuple(run for condition in self.conditions for run in condition.runs)

    @property
    def listed(self) -> list[tuple[Condition, StudyRun]]:
        """Likewise, with their conditions, and those first that are left out."""
        each = [(condition, run) for condition in self.conditions for run in condition.runs]
        return sorted(each, key=lambda one: one[1].counts)

    @property
    def samples(self) -> list[Figures]:
        """All that count, of all lanes under all conditions."""
        return [
            figures
            for condition in self.conditions
            for found in condition.distributions
            for figures in found.samples
        ]

    @property
    def valid(self) -> bool:
        """Whether each condition has a run that counts."""
        return all(condition.counted for condition in self.conditions)

    @property
    def disturbed(self) -> bool:
        """Whether anything disturbed any lane."""
        return any(lane.disturbed for run in self.runs for lane in run.lanes)

    @property
    def placed(self) -> tuple[Placed, ...]:
        """Every lane under every condition in which it was disturbed and counts."""
        return tuple(
            Placed(number, condition, lane, lane.distribution)
            for number, condition in enumerate(self.conditions)
            for lane in condition.lanes
            if lane.distribution and lane.disturbed
        )

    @property
    def worst(self) -> Placed | None:
        """The lane that recovered worst, and under which condition."""
        return worst(map(_standing, self.placed))

    @property
    def best(self) -> Placed | None:
        """The one that recovered best; `None` where nothing tells them apart."""
        return best([_standing(one) for one in self.placed])

    @property
    def not_always(self) -> frozenset[str]:
        """Titles of the lanes that did not recover every time, under every condition."""
        return frozenset(one.lane.title for one in self.placed if one.distribution.lost)

    @property
    def worst_of_always(self) -> Placed | None:
        """The lane that recovered worst of the others."""
        always = (one for one in self.placed if one.lane.title not in self.not_always)
        return worst(map(_standing, always))

    @property
    def titles(self) -> tuple[str, ...]:
        """What the lanes are called, under whatever condition."""
        return tuple(lane.title for lane in self.conditions[0].lanes)

    @property
    def shared(self) -> tuple[int, ...]:
        """The places of those lanes that there are under several conditions, to be compared."""
        each = zip(*(condition.lanes for condition in self.conditions), strict=True)
        return tuple(
            place for place, lanes in enumerate(each) if sum(lane.present for lane in lanes) > 1
        )


def _standing(placed: Placed) -> Standing[Placed]:
    return of_distribution(placed, placed.distribution, unanswered=placed.lane.unanswered > 0)
