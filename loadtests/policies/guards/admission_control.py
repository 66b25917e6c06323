"""Envoy's admission control: refuse by the success rate of what was let through."""

from dataclasses import dataclass, field
from random import Random

from loadtests.policies.checks import check_not_negative, check_within
from loadtests.policies.conditions import SERVER_ERRORS
from loadtests.policies.guards.rule import ADMITTED, THROTTLED, Admission
from loadtests.policies.outcome import Outcome
from loadtests.policies.rolling import RollingCounts
from loadtests.policies.units import duration, listing

_REQUESTS, _SUCCESSES = 0, 1
_GRANULARITY_S = 1.0
_ACCURACY = 10_000


@dataclass(slots=True)
class AdmissionControl:
    """Refuses with P = min(most, ((n − s/threshold) / (n + 1))^(1/aggression)), 4 digits of it.

    n and s are attempts that were let through in the last `window_s` and those of them that
    succeeded; what is refused here is not counted. Below `least_rps` on average nothing is refused.
    """

    threshold: float = 0.95
    aggression: float = 1.0
    most: float = 0.8
    least_rps: int = 0
    window_s: float = 30.0
    failures: frozenset[int] = SERVER_ERRORS
    _counts: RollingCounts = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for figures that the filter would not take."""
        check_within("sr_threshold_share", self.threshold, 0.01, 1)
        check_within("aggression", self.aggression, 1, 1000)
        check_within("max_rejection_probability_share", self.most, 0, 1)
        check_not_negative("rps_threshold", self.least_rps)
        check_within("sampling_window_s", self.window_s, 1, 86_400)
        self._counts = RollingCounts(self.window_s, _GRANULARITY_S)

    def probability(self, now_s: float) -> float:
        """P as of now."""
        requests, successes = self._counts.at(now_s)
        base = (requests - successes / self.threshold) / (requests + 1)
        return 0.0 if base <= 0 else min(self.most, base ** (1 / self.aggression))

    def admit(self, now_s: float, rng: Random) -> Admission:
        """Draw."""
        self._counts.begin(now_s)
        if self._counts.counts[_REQUESTS] // self.window_s < self.least_rps:
            return ADMITTED
        probability = self.probability(now_s)
        if probability and _ACCURACY * probability > int(rng.random() * _ACCURACY):
            return THROTTLED
        return ADMITTED

    def observed(self, now_s: float, outcome: Outcome, permit: int) -> None:
        """Count it."""
        self._counts.add(now_s, _REQUESTS)
        if outcome.status is not None and outcome.status not in self.failures:
            self._counts.add(now_s, _SUCCESSES)

    def released(self, now_s: float, permit: int) -> None:
        """A stream that was reset before its answer is not recorded."""

    def describe(self) -> str:
        """As a formula."""
        failures = "5xx" if self.failures == SERVER_ERRORS else listing(self.failures)
        root = f"^(1/{self.aggression:g})" if self.aggression != 1 else ""
        return (
            f"refused with P = min({self.most * 100:g}%, "
            f"((n − s/{self.threshold:g})/(n + 1)){root}) "
            f"of the last {duration(self.window_s)}, failed being {failures}"
        )
