"""An operator's actions: what is turned away at the edge, before anything else, at no cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Literal

from target_service.disorder.reopening import Reopening
from target_service.limits import MAX_ACTIONS
from target_service.timed import Schedule, Timed

ActionType = Literal["shed", "block-retries", "reopen"]


@dataclass(frozen=True, slots=True)
class Shed:
    """A random share of attempts, 0 to 1, is turned away."""

    share: float


@dataclass(frozen=True, slots=True)
class BlockRetries:
    """Attempts with a number above 1 are turned away."""


@dataclass(frozen=True, slots=True)
class Reopen:
    """All but `step` is turned away at first; after each `every_s` seconds one step less.

    But only if at most `max_errors` of what was let through in that time went wrong. Shares are
    0 to 1.
    """

    step: float = 0.2
    every_s: float = 5.0
    max_errors: float = 0.05


Measure = Shed | BlockRetries | Reopen
"""What an operator can do."""


def type_of(measure: Measure) -> ActionType:
    """The name of this kind of action."""
    match measure:
        case Shed():
            return "shed"
        case BlockRetries():
            return "block-retries"
        case Reopen():
            return "reopen"


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """What somebody asks for; `for_s` and `after_s` are seconds: how long, how soon from now."""

    measure: Measure
    for_s: float
    after_s: float = 0.0
    lanes: tuple[str, ...] | None = None


@dataclass(slots=True)
class Action(Timed[ActionPlan]):
    """An action on the grid; one that reopens keeps account of it."""

    reopening: Reopening | None = None

    def share(self, lane: str) -> float:
        """The share of attempts of any number that it turns away in this lane when in force."""
        if self.reopening is not None:
            return self.reopening.share(lane)
        return self.plan.measure.share if isinstance(self.plan.measure, Shed) else 0.0

    @property
    def blocks_retries(self) -> bool:
        """Whether it turns away every attempt with a number above 1."""
        return isinstance(self.plan.measure, BlockRetries)


class Actions(Schedule[Action]):
    """The actions that are pending or active, and the last ones that are over."""

    def __init__(self) -> None:
        super().__init__("action", MAX_ACTIONS)

    def plan(self, plan: ActionPlan, start: int, length: int, every: int = 1) -> Action:
        """Enter an action of `length` ticks from tick `start` on; `every` is that of a reopening.

        Raises `TooManyError`.
        """
        measure = plan.measure
        reopening = (
            Reopening(measure.step, every, measure.max_errors)
            if isinstance(measure, Reopen)
            else None
        )
        end = start + length
        return self.enter(Action(self.next_id(), plan, start, end, end, reopening))


def turned_away_at_edge(
    actions: Iterable[Action], lane: str, attempt: int, seq: int, rng: Random
) -> bool:
    """Whether an operator turns away this attempt, which arrives in tick `seq`.

    Several actions decide independently of one another: shedding 50% twice sheds 75%. An attempt
    whose number is unknown, 0, is no retry.
    """
    for action in actions:
        if not action.covers(lane, seq):
            continue
        if action.blocks_retries and attempt > 1:
            return True
        share = action.share(lane)
        if share > 0 and rng.random() < share:
            return True
    return False
