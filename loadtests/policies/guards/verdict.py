"""Which outcomes a breaker takes for failures: the libraries leave that to whoever sets them up."""

from dataclasses import dataclass

from loadtests.policies.conditions import SERVER_ERRORS
from loadtests.policies.outcome import Outcome
from loadtests.policies.units import listing

FAILURE_STATUSES = frozenset({429}) | SERVER_ERRORS
"""What says more of the service than of the request."""


@dataclass(frozen=True, slots=True)
class Failures:
    """These statuses, and every attempt that got no answer."""

    statuses: frozenset[int] = FAILURE_STATUSES

    def has(self, outcome: Outcome) -> bool:
        """Whether it failed."""
        return outcome.status is None or outcome.status in self.statuses

    def describe(self) -> str:
        """As in ``429, 5xx``."""
        if self.statuses == FAILURE_STATUSES:
            return "429, 5xx"
        return listing(self.statuses)
