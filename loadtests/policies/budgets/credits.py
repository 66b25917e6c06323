"""Article 003's budget: whole credits, so that nothing is lost to rounding."""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_within
from loadtests.policies.outcome import Outcome


@dataclass(slots=True)
class Credits:
    """A new request earns 1, up to `most`; a retry costs `cost`. It starts full.

    Over any period retries are at most ``(most + requests) / cost``.
    """

    cost: int = 10
    most: int = 100
    credits: int = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless a retry costs at least 1 and fits in."""
        check_within("retry_cost", self.cost, 1, 1e6)
        check_within("max_credits", self.most, self.cost, 1e9)
        self.credits = self.most

    def requested(self, now_s: float) -> None:
        """Earn one."""
        self.credits = min(self.most, self.credits + 1)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """What became of an attempt does not matter here."""

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Pay for a retry."""
        if self.credits < self.cost:
            return None
        self.credits -= self.cost
        return float(self.cost)

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def describe(self) -> str:
        """In words."""
        return f"a request +1 up to {self.most} credits, a retry −{self.cost}; it starts full"
