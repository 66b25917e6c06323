"""The answer for each lane: what was found, and in which words."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadtests.simulation.tipping.finding import Finding, Point, find
from loadtests.simulation.tipping.lanes import Lane, Watched
from loadtests.simulation.tipping.ranges import Range
from loadtests.simulation.tipping.search import Plan


@dataclass(frozen=True)
class LaneAnswer:
    """What was found in one lane. `watched` is by the place of the value."""

    lane: str
    policy: str
    range: Range
    finding: Finding
    watched: dict[int, Watched]

    def shown(self, place: int) -> str:
        """The value at this place, as people write it."""
        return self.range.shown(place)

    @property
    def observed_s(self) -> float:
        """How long after its last disturbance each run was observed, at least."""
        return min((seen.observed_s for seen in self.watched.values()), default=0.0)

    @property
    def near(self) -> tuple[Point, ...]:
        """The values from one bound to the other, or all of them."""
        found = self.finding
        if found.lower is None or found.upper is None:
            return found.points
        low, high = sorted((found.lower, found.upper))
        return tuple(point for point in found.points if low <= point.place <= high)


@dataclass(frozen=True)
class Answers:
    """The whole of it: what was asked, and the answer of each lane.

    `scenario` are its values, all of them; the seeds of each lane begin with its own one, and
    `seeds` is how many the lane with the most has used.
    """

    name: str
    source: str
    scenario: Mapping[str, object]
    version: str
    seeds: int
    path: str
    range_text: str
    confidence: float
    most_runs: int
    engines: tuple[str, ...]
    lanes: tuple[LaneAnswer, ...]
    interrupted: bool = False

    @property
    def sure(self) -> str:
        """``95%``."""
        return f"{self.confidence * 100:.4g}%"


def answer_of_lane(lane: Lane, plan: Plan) -> LaneAnswer:
    """As sure as its runs are by now."""
    return LaneAnswer(
        lane=lane.name,
        policy=lane.policy,
        range=lane.range,
        finding=find(plan, lane.tried),
        watched=dict(lane.watched),
    )
