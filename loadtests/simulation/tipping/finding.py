"""What a search for the tipping point has found, at its end or before. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from loadtests.simulation.tipping.evidence import Interval, interval
from loadtests.simulation.tipping.search import (
    Answer,
    Plan,
    Tally,
    Tried,
    answers_of,
    by_danger,
    edges,
    gaps,
)


class Verdict(StrEnum):
    """What can be said of the range that was looked at."""

    BETWEEN = "between"
    """It tips between `lower` and `upper`."""
    ALWAYS = "always recovers"
    NEVER = "never recovers"
    FROM_CHANCE = "chance at the safe end"
    """There is an `upper` alone."""
    TO_CHANCE = "chance at the dangerous end"
    """There is a `lower` alone."""
    CHANCE = "chance"
    NO_ORDER = "no order"
    """Both ends are alike and what is between them is not: there is no one point."""
    UNFINISHED = "unfinished"
    """Nothing is sure of one of the ends."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value that was tried, by its place on the grid.

    `share` are the bounds of the share that recovers there, with the stated confidence for this
    value by itself.
    """

    place: int
    tally: Tally
    answer: Answer | None
    share: Interval


@dataclass(frozen=True)
class Finding:
    """Places are those of the grid.

    At `lower` at least half of all runs recover and at `upper` at most half, both at once with the
    stated confidence. `rising`: a larger value is the more dangerous one. `fine`: they are as close
    as the grid, or what is between is chance. `against_order` are two values of which the more
    dangerous one recovers more often, beyond chance. `estimate` is where half recover, if anything.
    """

    verdict: Verdict
    lower: int | None
    upper: int | None
    rising: bool | None
    fine: bool
    points: tuple[Point, ...]
    against_order: tuple[int, int] | None
    estimate: float | None

    @property
    def runs(self) -> int:
        """All that were made."""
        return sum(point.tally.runs for point in self.points)


def find(plan: Plan, tried: Tried) -> Finding:
    """What these runs say; at any time, for what is said holds however often one looks."""
    answers = answers_of(plan, tried)
    order = by_danger(plan, answers)
    points = tuple(
        Point(
            place,
            tried[place],
            answer,
            interval(tried[place].recovered, tried[place].runs, 1 - plan.confidence),
        )
        for place, answer in answers.items()
    )
    if order is None:
        verdict = _of_alike(plan, answers)
        fine = verdict is not Verdict.UNFINISHED
        return Finding(verdict, None, None, None, fine, points, None, None)
    good, _, bad = edges(order, answers)
    lower, upper = (None if p is None else order[p] for p in (good, bad))
    return Finding(
        verdict=_of_bounds(good is not None, bad is not None),
        lower=lower,
        upper=upper,
        rising=order[0] == 0,
        fine=all(b - a == 1 for a, b in gaps(order, answers)),
        points=points,
        against_order=_against(plan, order, tried),
        estimate=_estimate(plan, order[good : bad + 1], tried)
        if good is not None and bad is not None
        else None,
    )


def _of_alike(plan: Plan, answers: Mapping[int, Answer | None]) -> Verdict:
    """Both ends are alike, or one is not told yet."""
    low, high = answers.get(0), answers.get(len(plan.grid) - 1)
    if low is None or high is None:
        return Verdict.UNFINISHED
    if set(answers.values()) - {low, None}:
        return Verdict.NO_ORDER
    of = {Answer.RECOVERS: Verdict.ALWAYS, Answer.FAILS: Verdict.NEVER}
    return of.get(low, Verdict.CHANCE)


def _of_bounds(lower: bool, upper: bool) -> Verdict:
    if lower and upper:
        return Verdict.BETWEEN
    return Verdict.TO_CHANCE if lower else Verdict.FROM_CHANCE


def _against(plan: Plan, order: Sequence[int], tried: Tried) -> tuple[int, int] | None:
    """Two intervals that are apart in the wrong order: wide enough that all hold at once."""
    shares = {
        place: interval(tried[place].recovered, tried[place].runs, plan.error)
        for place in order
        if place in tried
    }
    for (safe, its), (dangerous, others) in combinations(shares.items(), 2):
        if its.high < others.low:
            return safe, dangerous
    return None


def _estimate(plan: Plan, between: Sequence[int], tried: Tried) -> float:
    """Where half of the runs recover, if ever fewer do as danger grows, from `lower` to `upper`.

    That is isotonic regression, with straight lines between the values that were tried: M.
    Stylianou, N. Flournoy, "Dose finding using the biased coin up-and-down design and isotonic
    regression", Biometrics 58 (2002), 171–177.
    """
    # Here and not above: it takes long to import.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    places = [place for place in between if place in tried]
    tallies = [tried[place] for place in places]
    shares = isotonic_regression(
        [tally.recovered / tally.runs for tally in tallies],
        weights=[tally.runs for tally in tallies],
        increasing=False,
    ).x
    after = next(i for i, share in enumerate(shares) if share < 0.5)
    high, low = float(shares[after - 1]), float(shares[after])
    safe, dangerous = plan.grid[places[after - 1]], plan.grid[places[after]]
    return safe + (high - 0.5) / (high - low) * (dangerous - safe)
