"""Which lane recovered worst, and which best: one order for sentences, files and studies."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from reports.measuring.catalogue import FAILED, SETTLED
from reports.measuring.distribution import Distribution
from reports.measuring.recovery import Aftermath, Figures, Recovery
from reports.statistics.value import Value

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standing(Generic[T]):
    """What of a lane tells it from others. `of` says which it is.

    `lost` is the share of its samples that did not recover. `settled_s` is the median of settled,
    infinite where half did not recover. `stormed`: load was more than a tick or two above capacity,
    which are no storm and make no lane better. `failed` is the median of failed requests,
    infinite where it was not told.
    `unanswered`: many requests had no answer at the end.
    """

    of: T
    lost: float
    settled_s: float
    stormed: bool
    failed: float
    retries: bool
    unanswered: bool

    @property
    def recovery(self) -> tuple[float, float]:
        """How badly it recovered, without what that cost."""
        return self.lost, self.settled_s if self.stormed or self.lost else 0.0

    @property
    def badness(self) -> tuple[float, ...]:
        """By how often it did not recover, then by settled, then by failed requests."""
        return *self.recovery, self.settled_s, self.failed


def worst(standings: Iterable[Standing[T]]) -> T | None:
    """Which recovered worst, the first of equals; `None` of none."""
    found = max(standings, key=lambda one: one.badness, default=None)
    return found.of if found else None


def best(standings: Sequence[Standing[T]]) -> T | None:
    """Which recovered best, of several; `None` where all did alike, or none did every time.

    Of equals one that retries comes first: it is the better news. Who holds requests back until
    the end fails none, and is no better for it.
    """
    answered = [one for one in standings if not one.unanswered]
    if len(standings) < 2 or not answered:
        return None
    found = min(answered, key=lambda one: (*one.recovery, not one.retries, one.failed))
    alike = found.recovery == max(one.recovery for one in standings)
    return None if found.lost or alike else found.of


def standings_of(
    lanes: Sequence[Recovery], distributions: Sequence[Distribution]
) -> tuple[Standing[str], ...]:
    """Of the lanes of a run, over all triggers where one was repeated; but for undisturbed ones."""
    if distributions:
        unanswered = {lane.lane for lane in lanes if lane.unanswered}
        return tuple(
            of_distribution(one.lane, one, unanswered=one.lane in unanswered)
            for one in distributions
        )
    return tuple(
        _of_one(lane, lane.after) for lane in lanes if lane.after is not None and lane.requests
    )


def of_distribution(of: T, found: Distribution, *, unanswered: bool) -> Standing[T]:
    """Over all samples of a lane."""
    settled, failed = (found.summaries.get(one.name) for one in (SETTLED, FAILED))
    median = settled.median if settled else Value(0.0)
    return Standing(
        of=of,
        lost=found.lost / len(found.samples),
        settled_s=math.inf if median.late else median.amount,
        stormed=any(one.after and one.after.stormed for one in found.samples),
        failed=failed.median.amount if failed else math.inf,
        retries=any(one.retries for one in found.samples),
        unanswered=unanswered,
    )


def _of_one(lane: Figures, after: Aftermath) -> Standing[str]:
    """After its one trigger, or its last."""
    return Standing(
        of=lane.lane,
        lost=float(not after.recovered),
        settled_s=_settled_s(after),
        stormed=after.stormed,
        failed=math.inf if lane.failed is None else lane.failed,
        retries=lane.retries,
        unanswered=lane.unanswered,
    )


def _settled_s(after: Aftermath) -> float:
    """Of lanes that did not recover, those that were calm at the end come before the others."""
    if after.recovered:
        return after.settled_s or 0.0
    calm_from_s = None if after.starved else after.calm_from_s
    return math.inf if calm_from_s is None else calm_from_s
