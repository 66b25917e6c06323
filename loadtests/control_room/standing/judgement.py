"""What is known of one lane at one instant, in numbers. `judging` finds it, `states` words it."""

from dataclasses import dataclass

from reports.reading.series import Bins, Counts
from reports.record import Fault

ANCHOR_MOVES_S = 0.25
"""The target's clock is found anew with each poll, and the anchor on it is not quite the same."""


@dataclass(frozen=True)
class Basis:
    """What the lane is judged by: where its load began and when it ended, if it has.

    `anchor_s` is on the target's clock, all else in seconds from it. `ours`: it is a run's.
    """

    anchor_s: float
    observe_from_s: float
    planned_end_s: float | None = None
    ended_s: float | None = None
    ours: bool = False


@dataclass(frozen=True)
class Memory:
    """What was found after a trigger, for when the ticks it was found by are no longer kept.

    `of` names the first disturbance and the trigger. `before` is the load before the first, and
    `bins` what became of the requests then; `unsteady` says that the load was above capacity then.
    `high_since_s` is since when the load has been high, as far as it is now.
    """

    of: tuple[str, str]
    anchor_s: float
    before: Counts
    usual: float
    unsteady: bool = False
    bins: Bins | None = None
    goodput_back: bool = False
    settled_s: float | None = None
    relapses: int = 0
    high_since_s: float | None = None

    def has_same_before(self, other: "Memory") -> bool:
        """Whether both are of one run with one first disturbance, whatever came after it."""
        moved_s = abs(self.anchor_s - other.anchor_s)
        return self.of[0] == other.of[0] and moved_s < ANCHOR_MOVES_S

    def fits(self, other: "Memory") -> bool:
        """Whether both are of one trigger of one run."""
        return self.of == other.of and self.has_same_before(other)


@dataclass(frozen=True)
class Judgement:
    """What is known of a lane at `now_s`, the end of its newest tick.

    `load_per_s` is the mean of the newest second, `limit_per_s` what it is held against. `high`
    says whether it is above that, after a trigger by the rule of `settle`. `calm_s` is for how long
    no window has been high, towards the hold. `settled_s` is None where the lane has not settled,
    or where the ticks after the trigger were not `seen`.

    `starved` says that goodput is not back though the load has settled. Where the load was
    above capacity before the first disturbance (`unsteady`), or nothing was offered then
    (`unloaded`), there is no recovery. `cut_off`: the load ended before the trigger did.
    """

    now_s: float
    load_per_s: float
    limit_per_s: float
    capacity_per_s: float
    high: bool
    ended: bool
    in_force: Fault | None = None
    trigger: Fault | None = None
    observed_s: float = 0.0
    calm_s: float = 0.0
    settled_s: float | None = None
    relapses: int = 0
    relapsed_at_s: float | None = None
    seen: bool = True
    starved: bool = False
    unsteady: bool = False
    unloaded: bool = False
    cut_off: bool = False
    memory: Memory | None = None
