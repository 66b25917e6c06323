"""A bucket that requests fill and retries empty: the budgets of articles 000 and 003."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Self

from loadtests.policies.budgets.bulk import WholeT, at_most, lesser
from loadtests.policies.checks import check_within
from loadtests.policies.outcome import Outcome

_FINEST = 10**9
"""The largest denominator of a ratio: 0.1 is a tenth, whatever a float makes of it."""


@dataclass(slots=True)
class Bucket:
    """A request earns `earn`, up to `most`; a retry costs `cost`. In whole numbers nothing rounds.

    Over any period retries are at most ``(most + earn · requests) / cost``. Article 003's credits
    are the defaults; article 000's bucket starts empty.
    """

    earn: int = 1
    cost: int = 10
    most: int = 100
    starts_full: bool = True
    credits: int = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` unless a retry costs at least 1 and fits in."""
        check_within("earn", self.earn, 0, float("inf"))
        check_within("retry_cost", self.cost, 1, float("inf"))
        check_within("max_credits", self.most, self.cost, float("inf"))
        self.credits = self.most if self.starts_full else 0

    @classmethod
    def of_ratio(cls, ratio: float, size: float) -> Self:
        """A request adds `ratio` of a retry, up to `size` retries; it starts empty.

        Raises `ValueError` for a ratio outside 0 to 1 or a size that no retry fits in.
        """
        check_within("budget_ratio", ratio, 0, 1)
        check_within("budget_size", size, 1, 1e6)
        earned = Fraction(ratio).limit_denominator(_FINEST)
        kept = Fraction(size).limit_denominator(_FINEST)
        cost = lcm(earned.denominator, kept.denominator)
        return cls(int(earned * cost), cost, int(kept * cost), starts_full=False)

    def requested(self, now_s: float) -> None:
        """A new request fills it."""
        self.requested_many(now_s, 1)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """What became of an attempt does not matter here."""

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Pay for a retry."""
        return float(self.cost) if self.withdraw_many(now_s, 1) else None

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    @property
    def counts_failures(self) -> bool:
        """Only what asks for a retry matters."""
        return False

    def requested_many(self, now_s: float, requests: int) -> None:
        """Each fills it."""
        self.credits = self.filled(self.credits, requests)

    def withdraw_many(self, now_s: float, failures: int) -> int:
        """Pay for as many retries as there are credits for."""
        retries = self.affordable(self.credits, failures)
        self.credits -= retries * self.cost
        return retries

    def succeeded_many(self, now_s: float, successes: int) -> None:
        """They do not matter here."""

    def filled(self, kept: WholeT, requests: WholeT) -> WholeT:
        """``min(most, credits + earn · requests)``."""
        return at_most(requests * self.earn + kept, self.most)

    def affordable(self, kept: WholeT, wanted: WholeT) -> WholeT:
        """``min(wanted, ⌊credits / cost⌋)``."""
        return lesser(wanted, kept // self.cost)

    def describe(self) -> str:
        """As the articles have it: in retries where it starts empty, in credits where full."""
        if not self.starts_full:
            ratio, size = self.earn / self.cost, self.most / self.cost
            return f"at most {ratio:.4g} retries a request, {size:g} at once"
        return (
            f"a request +{self.earn} up to {self.most} credits, a retry −{self.cost}; "
            "it starts full"
        )
