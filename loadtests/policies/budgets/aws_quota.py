"""The retry quota of AWS clients: a bucket that retries empty and successes fill."""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_within
from loadtests.policies.conditions.aws import BY_CODE, Throttling
from loadtests.policies.outcome import AttemptError, Outcome

_TIMEOUTS = frozenset({AttemptError.TIMEOUT, AttemptError.CONNECT_TIMEOUT})
_SUCCESS_WITHOUT_RETRY = 1


@dataclass(slots=True)
class AwsQuota:
    """`size` units at first and at most; a retry takes `cost`, or what its cause costs.

    A success gives back what its last retry took, 1 where it needed none; a failure nothing. So an
    outage gets ``size / cost`` retries in all, and then none until something succeeds.
    """

    cost: int = 14
    throttled_cost: int = 5
    timeout_cost: int = 14
    size: int = 500
    throttling: Throttling = BY_CODE
    units: int = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a cost or a size out of bounds."""
        check_within("retry_cost", self.cost, 1, 1e6)
        check_within("throttled_cost", self.throttled_cost, 1, 1e6)
        check_within("timeout_cost", self.timeout_cost, 1, 1e6)
        check_within("quota", self.size, 0, 1e9)
        self.units = self.size

    def requested(self, now_s: float) -> None:
        """A new request changes nothing."""

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """A success gives back; what took units is the last retry alone."""
        if outcome.status is not None and 200 <= outcome.status < 300:
            self.units = min(self.size, self.units + (int(held) or _SUCCESS_WITHOUT_RETRY))

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take what a retry after this costs."""
        cost = self._cost(outcome)
        if cost > self.units:
            return None
        self.units -= cost
        return cost

    def _cost(self, outcome: Outcome) -> int:
        if outcome.error in _TIMEOUTS:
            return self.timeout_cost
        return self.throttled_cost if self.throttling.matches(outcome) else self.cost

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def describe(self) -> str:
        """In words."""
        costs = [f"a retry takes {self.cost}"]
        if self.timeout_cost != self.cost:
            costs.append(f"{self.timeout_cost} after a timeout")
        if self.throttled_cost != self.cost:
            costs.append(f"{self.throttled_cost} after {self.throttling.describe()}")
        return f"{self.size} units; {', '.join(costs)}; a success gives its last back, or 1"
