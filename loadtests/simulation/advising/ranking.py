"""Who is better: by settled at a given share unserved, and no finer than noise allows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadtests.simulation.advising.candidates import NO_RETRY, Kind
from loadtests.simulation.advising.figures import UNSERVED_STEP, Standing

MARGIN = 0.25
_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Limit:
    """The share of unserved requests above which nothing is advised."""

    share: float
    asked: bool

    def allows(self, standing: Standing) -> bool:
        """Whether the median of its runs is within."""
        return standing.unserved.median <= self.share + 1e-9


@dataclass(frozen=True)
class Ranked:
    """A candidate in its place, which those within the noise of the first there share."""

    place: int
    standing: Standing
    within: bool
    front: bool


def limit_of(standings: Sequence[Standing], asked: float | None) -> Limit:
    """What is asked for, or a quarter more than a client without retries leaves unserved.

    There retries begin to harm those whom they are for. The quarter leaves room for a few of them:
    they are for single failures too, of which a scenario may have none.
    """
    if asked is not None:
        return Limit(asked, asked=True)
    reference = next(one for one in standings if one.candidate.choice.name == NO_RETRY)
    without = reference.unserved.median
    return Limit(min(1.0, max(without * (1 + MARGIN), without + UNSERVED_STEP)), asked=False)


def rank(standings: Iterable[Standing], limit: Limit) -> tuple[Ranked, ...]:
    """In order: those within the limit, then those above it; of each the sooner settled first.

    Those whose median is within the noise of the first share a place with it and stand by their
    unserved requests, to a tenth of a percent, then by their amplification, to a tenth; then come
    those within the noise of the first of the rest, and so on.
    """
    tried = list(standings)
    front = pareto_front(tried)
    ranked: list[Ranked] = []
    for within in (True, False):
        rest = [one for one in tried if limit.allows(one) is within]
        while rest:
            first = min(rest, key=lambda one: (one.settled.median, one.settled.high))
            group = [one for one in rest if one.near(first)]
            rest = [one for one in rest if one not in group]
            place = len(ranked) + 1
            ranked += [
                Ranked(place, one, within, one in front) for one in sorted(group, key=_merit)
            ]
    return tuple(ranked)


def _merit(standing: Standing) -> tuple[float, float, int, float, str]:
    """Of equals, what there is already comes first: no change is the smallest one."""
    return (
        round(standing.unserved.median, 3),
        round(standing.amplification, 1),
        _KINDS.index(standing.candidate.kind),
        standing.amplification,
        standing.name,
    )


def pareto_front(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """Those that no other beats at one of the two without losing at the other, as they are shown.

    By unserved share, then by settled, not recovered being later than any time. Of several at one
    point all are in it.
    """
    front: list[Standing] = []
    for one in sorted(standings, key=point):
        if not front or point(one)[1] < point(front[-1])[1] or point(one) == point(front[-1]):
            front.append(one)
    return tuple(front)


def point(standing: Standing) -> tuple[float, float]:
    """Failed share and settled, to the digits that are shown."""
    return round(standing.unserved.median, 3), round(standing.settled.median, 1)
