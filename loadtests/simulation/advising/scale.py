"""Where the axes of the chart end, and what stands where on them."""

import math
from dataclasses import dataclass

from loadtests.simulation.advising.advice import Advice
from loadtests.simulation.advising.key import group_of
from loadtests.simulation.advising.ranking import Ranked

EDGE, HEADROOM = 1.3, 1.15
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0)


@dataclass(frozen=True)
class Scale:
    """Where the axes end. What fails more than `most_unserved` stands at the edge."""

    most_unserved: float
    longest_s: float
    never_s: float

    def x(self, one: Ranked) -> float:
        """In percent."""
        return 100 * min(one.standing.unserved.median, self.most_unserved)

    def y(self, one: Ranked) -> float:
        """In seconds; what did not recover stands above all that did."""
        settled_s = one.standing.settled.median
        return self.never_s if math.isinf(settled_s) else settled_s

    def beyond(self, one: Ranked) -> bool:
        """Whether it stands at the edge."""
        return one.standing.unserved.median > self.most_unserved


def scale_of(advice: Advice) -> Scale:
    """As wide as what matters needs: a few that fail much would press all else together."""
    shown = [one.standing for one in advice.ranked if one.within or one.front or _stays(one)]
    most = EDGE * max(0.001, *(one.unserved.median for one in shown), 0.0)
    times = [one.standing.settled.median for one in advice.ranked if one.standing.back]
    longest_s = max([1.0, *times])
    return Scale(min(1.0, most), longest_s, longest_s * HEADROOM)


def _stays(one: Ranked) -> bool:
    return group_of(one) in {"have", "without"}


def beyond(advice: Advice) -> int:
    """How many stand at the edge."""
    scale = scale_of(advice)
    return sum(scale.beyond(one) for one in advice.ranked)


def top_s(scale: Scale) -> float:
    return scale.never_s * 1.08


def ticks_of(scale: Scale) -> list[float]:
    step = next((step for step in STEPS if scale.longest_s / step <= 6), STEPS[-1])
    return [round(step * number, 6) for number in range(int(scale.longest_s / step) + 1)]
