"""The frozen result of one lane: what was measured of it, and what is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass

from reports.folding.trigger import Event, Trigger
from reports.measuring.stack import Stacks
from reports.reading.series import Floats

MAX_OVERDUE_SHARE = 0.01
LEAST_S = 0.05
"""What is shorter is told as 0.0 s."""


@dataclass(frozen=True)
class Wave:
    """A relapse: seconds after the trigger's end, and the attempts above capacity in it."""

    start_s: float
    end_s: float
    attempts: float


@dataclass(frozen=True)
class Aftermath:
    """The lane after its trigger. Times are seconds after the trigger's end.

    `first_fit_s` is `None` when no tick fitted, `settled_s` when the load did not stay under
    capacity. `stormed` says whether a window before it was high: otherwise it is first fit.
    `goodput_known` says whether there was goodput before to compare with; then `goodput_back_s` is
    `None` when it did not come back and stay, and `goodput_from_s` the time from which it was back
    without having been watched long enough, where there is one. `work_lost` is the share of the
    service's work, from the trigger's end until both had come back, that was for clients that had
    gone; `None` without a queue, or when such work is not done. `noise_per_s` is the load that
    ordinary noise reaches; above capacity it hides storms below it. `too_soon`: the run goes on
    and was not watched long enough yet to call any lane settled. `lingering_per_s` are the retries
    that went on from when the load settled to the end, more than there were before; `None` where
    they did not.
    """

    observed_s: float
    first_fit_s: float | None
    settled_s: float | None
    stormed: bool
    times_trigger: float | None
    relapses: tuple[Wave, ...]
    storm_attempts: float
    noise_per_s: float | None
    noise_hides: bool
    calm_from_s: float | None
    goodput_known: bool
    goodput_back_s: float | None
    goodput_from_s: float | None
    work_lost: float | None
    too_soon: bool = False
    lingering_per_s: float | None = None

    @property
    def starved(self) -> bool:
        """Whether the load settled and requests were not answered again all the same."""
        back = self.goodput_back_s is not None or self.goodput_from_s is not None
        return self.settled_s is not None and self.goodput_known and not back

    @property
    def recovered(self) -> bool:
        """Whether the load went under capacity and stayed there, and goodput came back."""
        return self.settled_s is not None and not self.starved

    @property
    def marked_s(self) -> float:
        """Where charts mark that load settled, and where they mark that it had not to the end."""
        return self.observed_s if self.settled_s is None else self.settled_s

    @property
    def lost(self) -> bool:
        """Whether it did not recover though it was watched for long enough."""
        return not self.recovered and not self.too_soon and not self.unwatched

    @property
    def unwatched(self) -> bool:
        """Whether the run ended before the trigger was over, or just then."""
        return self.observed_s < LEAST_S


@dataclass(frozen=True)
class Cost:
    """What the trigger and its storm cost the users of a lane.

    What is counted of requests is `None` where the lane's clients told of none.
    `latency_back_s` is in seconds after the trigger's end, and `None` when latency never came back,
    or when there was none before to compare with (`latency_before_ms` is `None` too).
    """

    failed_anyway: int | None
    goodput_before_per_s: float | None
    goodput_lost: float | None
    latency_before_ms: float | None
    latency_back_s: float | None


@dataclass(frozen=True)
class Service:
    """What the service did with a lane's attempts, over the run; the queue at the end of a tick."""

    longest_queue: int
    abandoned: int
    shed: int
    blocked: int
    failed: int

    @property
    def eventful(self) -> bool:
        """Whether anything but turning away and completing happened."""
        return any((self.longest_queue, self.abandoned, self.shed, self.blocked, self.failed))


@dataclass(frozen=True)
class Second:
    """One second of a lane, all but the time and the queue in attempts per second.

    `t_s` is where it begins: seconds after the trigger's end, or after the run's begin without one.
    """

    t_s: float
    first_per_s: float
    retries_per_s: float
    offered_per_s: float
    capacity_per_s: float
    queue: int


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a lane: per tick, rates in attempts per second, and times as in `Second`.

    `let_through_per_s` is what an operator did not block; not a number where none acted. `seconds`
    are the ones around the trigger, for those who cannot see a picture. `origin_s` is the second of
    the run that times count from.
    """

    t_s: Floats
    by_attempt_per_s: Floats
    capacity_per_s: Floats
    let_through_per_s: Floats
    queue: Floats
    seconds: tuple[Second, ...]
    faults: tuple[Event, ...]
    actions: tuple[Event, ...]
    origin_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What was measured of one lane after one trigger: `reports.measuring.catalogue` lists it.

    `trigger`, `after` and `cost` are `None` when nothing disturbed the lane. `overdue` are the
    unfinished requests that were due for longer than an attempt may take. What became of requests
    is `None` where the lane's clients told of none: then first attempts stand for `requests`.
    """

    lane: str
    policy: str
    trigger: Trigger | None
    capacity_per_s: float
    offered_before_per_s: float
    peak_per_s: float
    attempts: int
    requests: int
    succeeded: int | None
    failed: int | None
    failed_by_reason: Mapping[str, int]
    unfinished: int | None
    overdue: int
    amplification: float | None
    worst_amplification: float | None
    after: Aftermath | None
    cost: Cost | None
    service: Service

    @property
    def retries(self) -> bool:
        """Whether the lane saw more attempts than requests."""
        return self.attempts > self.requests

    @property
    def unanswered(self) -> bool:
        """Whether more requests had no answer at the end than were merely on their way then."""
        return self.overdue > MAX_OVERDUE_SHARE * self.requests


@dataclass(frozen=True)
class Episode:
    """One trigger of a lane and what came of it, until the next one began.

    Counted from the begin of its first disturbance; where it is the lane's only one, over the whole
    run. `number` counts from 1. `together` disturbances overlapped, or followed each other at once.
    `began_unsettled`: the lane was not over the trigger before, so this one did not meet a steady
    state. `cut_by_next`: it was watched until the next one began, and not to the end.
    """

    number: int
    together: int
    began_unsettled: bool
    cut_by_next: bool
    figures: Figures

    @property
    def kind(self) -> tuple[object, ...]:
        """The same for repetitions of one trigger, and empty without a trigger."""
        found = self.figures.trigger
        if found is None:
            return ()
        return self.together, found.type, found.text, found.shape, round(found.length_s, 1)


@dataclass(frozen=True, kw_only=True)
class Recovery(Figures):
    """One lane of one run: counts are over the run, and recovery is after the last trigger.

    `stacks` is `None` when its attempts pass no gateway. `title` is what the lane is called.
    `episodes` are all its triggers, one by one.
    """

    title: str
    describe: str
    stacks: Stacks | None
    drawn: Drawn
    episodes: tuple[Episode, ...]

    @property
    def helped_by(self) -> tuple[Event, ...]:
        """What an operator did after the trigger's end and before the lane had settled."""
        if self.after is None:
            return ()
        until_s = self.after.settled_s
        return tuple(
            action
            for action in self.drawn.actions
            if action.end_s > max(0.0, action.start_s)
            and (until_s is None or action.start_s < until_s)
        )
