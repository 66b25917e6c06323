"""Client-side throttling of the SRE book: refuse more, the less the service accepts."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_positive, check_within
from loadtests.policies.guards.rule import ADMITTED, THROTTLED, Admission
from loadtests.policies.outcome import Outcome
from loadtests.policies.rolling import RollingCounts
from loadtests.policies.units import duration, listing

_REQUESTS, _ACCEPTS = 0, 1
_BUCKETS = 120

OVERLOADED = frozenset({429, 503})


@dataclass(slots=True)
class AdaptiveThrottle:
    """Refuses with P = max(0, (requests − K·accepts) / (requests + 1)) of the last `window_s`.

    What is refused here counts as a request, so P grows while nothing is accepted, to all but 1.
    An attempt is accepted by any answer whose status is not one of `rejections`.
    """

    k: float = 2.0
    window_s: float = 120.0
    rejections: frozenset[int] = OVERLOADED
    _counts: RollingCounts = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a K below 1 or a window that is none."""
        check_within("k", self.k, 1, 100)
        check_positive("window_s", self.window_s)
        self._counts = RollingCounts(self.window_s, self.window_s / _BUCKETS)

    def probability(self, now_s: float) -> float:
        """P, of what happened before now."""
        requests, accepts = self._counts.at(now_s)
        return max(0.0, (requests - self.k * accepts) / (requests + 1))

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Draw."""
        probability = self.probability(now_s)
        self._counts.add(now_s, _REQUESTS)
        return THROTTLED if rng.random() < probability else ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Count what was accepted."""
        if outcome.status is not None and outcome.status not in self.rejections:
            self._counts.add(now_s, _ACCEPTS)

    def released(self, now_s: float, permit: int) -> None:
        """Nobody knows whether it was accepted: it was not."""

    def describe(self) -> str:
        """As a formula."""
        return (
            f"refused with P = max(0, (requests − {self.k:g}·accepts)/(requests + 1)) of the last "
            f"{duration(self.window_s)}, accepted being all but {listing(self.rejections)}"
        )
