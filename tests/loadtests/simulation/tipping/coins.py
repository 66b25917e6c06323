"""Searches on coins of which the tipping point is known."""

import math
import random
from collections.abc import Callable

from loadtests.simulation.tipping.finding import Finding, find
from loadtests.simulation.tipping.search import Plan, Tally, next_asks

Share = Callable[[float], float]
"""The probability that a run at this value recovers."""

GRID = tuple(tenth / 10 for tenth in range(1, 601))
"""As of a dip from 0.1 s to 60 s."""


def smooth(middle: float, width: float) -> Share:
    """A logistic curve that falls through 1/2 at the middle."""
    return lambda value: 0.5 - 0.5 * math.tanh((value - middle) / (2 * width))


def sharp(last: float) -> Share:
    """All runs recover up to the last of these values, and none beyond."""
    return lambda value: float(value <= last)


def search(plan: Plan, share: Share, rng: random.Random) -> Finding:
    """To its end."""
    tried: dict[int, Tally] = {}
    while asks := next_asks(plan, tried):
        for ask in asks:
            recovered = sum(rng.random() < share(plan.grid[ask.place]) for _ in range(ask.runs))
            tried[ask.place] = tried.get(ask.place, Tally(0, 0)) + Tally(recovered, ask.runs)
    return find(plan, tried)


def wrong(found: Finding, plan: Plan, share: Share) -> bool:
    """Whether anything is untrue of what is said of a value: of the bounds or of any other."""
    claims = {"recovers": 1, "does not recover": -1}
    return any(
        claims.get(point.answer or "", 0) * (share(plan.grid[point.place]) - 0.5) < 0
        for point in found.points
    )
