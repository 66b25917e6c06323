"""What to try next in a search for the tipping point: bisection where the outcome is chance. Pure.

At each value as many runs are made, in batches, as it takes to be sure that at least half of all
runs recover there, or that at most half do; where neither is sure within a fifth of all runs, or
can no longer become so, the outcome there is *chance*, and what lies on both sides of it is halved
further. At most `MOST_VALUES` values are tried, each with an equal share of the error that
is allowed (Bonferroni), so *all* that is said of any value holds at once with the stated
confidence: at whichever value the search ends, and also when it is ended early.

Which end is the dangerous one is found, not assumed. That danger grows from one end to the other
is assumed between the values that were tried, and nowhere else.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from loadtests.simulation.tipping.evidence import evidence, least_runs

MOST_VALUES = 30
MOST_RUNS = 100_000
AT_ONE_VALUE = 5
LEAST_BATCHES = 3
"""At most a fifth of all runs are made at one value, or three batches."""
WIDE = 4.0
"""High ÷ low above which they are halved as a ratio."""


class Answer(StrEnum):
    """What the runs at one value say."""

    RECOVERS = "recovers"
    FAILS = "does not recover"
    CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class Tally:
    """The runs made at one value, and how many of them recovered."""

    recovered: int
    runs: int

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(self.recovered + other.recovered, self.runs + other.runs)


Tried = Mapping[int, Tally]
"""All runs so far by the place of their value on the grid."""


@dataclass(frozen=True, slots=True)
class Ask:
    """So many more runs are to be made at the value at this place of the grid."""

    place: int
    runs: int


@dataclass(frozen=True)
class Plan:
    """The values that may be tried, rising; how sure one wants to be, and the most runs for it."""

    grid: tuple[float, ...]
    confidence: float
    most_runs: int

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming what is allowed."""
        sure = f"{self.confidence * 100:.6g}%"
        if not 0.5 <= self.confidence <= 0.999:
            raise ValueError(f"confidence: {sure}: expected 50% to 99.9%")
        if len(self.grid) < 2:
            raise ValueError("there is one value only: expected two ends to look between")
        if not 2 * self.batch <= self.most_runs <= MOST_RUNS:
            raise ValueError(
                f"runs: {self.most_runs}: expected {2 * self.batch} to {MOST_RUNS} for {sure} "
                "confidence"
            )

    @property
    def error(self) -> float:
        """How probable it may be that what is said of one value is wrong."""
        return (1 - self.confidence) / MOST_VALUES

    @cached_property
    def needed(self) -> Fraction:
        """The evidence that it takes to be sure of one value."""
        return 1 / Fraction(self.error)

    @cached_property
    def batch(self) -> int:
        """Runs at once: as many as it takes if all end alike."""
        return least_runs(self.needed)

    @property
    def most_at_one(self) -> int:
        """The most runs at one value."""
        return max(LEAST_BATCHES * self.batch, self.most_runs // AT_ONE_VALUE)

    def left(self, tried: Tried) -> int:
        """How many runs may still be made."""
        return self.most_runs - sum(tally.runs for tally in tried.values())


def answer_of(plan: Plan, tally: Tally) -> Answer | None:
    """What is sure of a value with these runs; None while more of them there may tell."""
    good, bad = tally.recovered, tally.runs - tally.recovered
    if evidence(good, tally.runs) >= plan.needed:
        return Answer.RECOVERS
    if evidence(bad, tally.runs) >= plan.needed:
        return Answer.FAILS
    more = plan.most_at_one - tally.runs
    at_best = evidence(max(good, bad) + more, tally.runs + more)
    return None if more and at_best >= plan.needed else Answer.CHANCE


def answers_of(plan: Plan, tried: Tried) -> dict[int, Answer | None]:
    """By place, from the lowest value up."""
    return {place: answer_of(plan, tried[place]) for place in sorted(tried)}


def next_asks(plan: Plan, tried: Tried) -> tuple[Ask, ...]:
    """The runs to be made now, all at once; none when the search is over."""
    answers = answers_of(plan, tried)
    unsure = [place for place, answer in answers.items() if answer is None]
    places = unsure or list(_new_places(plan, answers))
    asks: list[Ask] = []
    left = plan.left(tried)
    for place in places:
        made = tried[place].runs if place in tried else 0
        runs = min(plan.batch, plan.most_at_one - made, left)
        if made or (runs == plan.batch and len(tried) + len(asks) < MOST_VALUES):
            asks.append(Ask(place, runs))
            left -= runs
    return tuple(ask for ask in asks if ask.runs)


def by_danger(plan: Plan, answers: Mapping[int, Answer | None]) -> Sequence[int] | None:
    """The places from the safe end to the dangerous one; None where the ends are alike."""
    places = range(len(plan.grid))
    rank = {Answer.RECOVERS: 2, Answer.CHANCE: 1, Answer.FAILS: 0}
    low, high = (answers.get(place) for place in (places[0], places[-1]))
    if low is None or high is None or low is high:
        return None
    return places if rank[low] > rank[high] else places[::-1]


def edges(
    order: Sequence[int], answers: Mapping[int, Answer | None]
) -> tuple[int | None, list[int], int | None]:
    """The last place that recovers, those of chance after it, and the first that does not.

    As positions in `order`.
    """
    at = {position: answers[place] for position, place in enumerate(order) if place in answers}
    bad = next((p for p, answer in at.items() if answer is Answer.FAILS), None)
    before = [p for p in at if bad is None or p < bad]
    good = next((p for p in reversed(before) if at[p] is Answer.RECOVERS), None)
    after = [p for p in before if good is None or p > good]
    return good, [p for p in after if at[p] is Answer.CHANCE], bad


def _new_places(plan: Plan, answers: Mapping[int, Answer | None]) -> Iterator[int]:
    """Both ends; the middle of what is between, if they are alike; or that of each open gap."""
    last = len(plan.grid) - 1
    if not answers:
        yield from (0, last)
        return
    order = by_danger(plan, answers)
    if order is None:
        if len(answers) == 2 and last > 1:
            yield _middle(plan, 0, last)
        return
    for safe, dangerous in gaps(order, answers):
        if dangerous - safe > 1:
            yield _middle(plan, *sorted((order[safe], order[dangerous])))


def gaps(order: Sequence[int], answers: Mapping[int, Answer | None]) -> list[tuple[int, int]]:
    """What lies next to the place that surely recovers, and next to that which surely does not."""
    good, between, bad = edges(order, answers)
    found = set()
    if good is not None and (after := [*between, *([] if bad is None else [bad])]):
        found.add((good, after[0]))
    if bad is not None and (before := [*([] if good is None else [good]), *between]):
        found.add((before[-1], bad))
    return sorted(found)


def _middle(plan: Plan, low: int, high: int) -> int:
    """The place between, nearest to the mean: the geometric one where they are far apart."""
    least, most = plan.grid[low], plan.grid[high]
    mean = math.sqrt(least * most) if least > 0 and most / least > WIDE else (least + most) / 2
    return min(max(bisect_left(plan.grid, mean), low + 1), high - 1)
