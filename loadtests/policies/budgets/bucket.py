"""A bucket that requests fill and retries empty: the budgets of articles 000 and 003."""

from dataclasses import dataclass, field

from loadtests.policies.checks import check_within
from loadtests.policies.outcome import Outcome


@dataclass(slots=True)
class RequestBucket:
    """A request adds `ratio` of a retry, up to `size` retries; a retry takes 1.

    Over any period retries are at most ``size + ratio · requests``. Article 000 starts it empty;
    article 003's credits (+1 a request up to 100, −10 a retry) are ratio 0.1 and size 10, full.
    """

    ratio: float = 0.1
    size: float = 10.0
    starts_full: bool = False
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for a ratio outside 0 to 1 or a size that no retry fits in."""
        check_within("budget_ratio", self.ratio, 0, 1)
        check_within("budget_size", self.size, 1, 1e6)
        self.tokens = self.size if self.starts_full else 0.0

    def requested(self, now_s: float) -> None:
        """A new request fills it."""
        self.tokens = min(self.size, self.tokens + self.ratio)

    def observed(self, now_s: float, outcome: Outcome, retryable: bool, held: float) -> None:
        """What became of an attempt does not matter here."""

    def withdraw(self, now_s: float, outcome: Outcome) -> float | None:
        """Take a token."""
        # Ten times 0.1 is a hair below 1 in floating point; that hair must not refuse a retry.
        if self.tokens < 1 - 1e-9:
            return None
        self.tokens = max(0.0, self.tokens - 1)
        return 1.0

    def closed(self, now_s: float, held: float) -> None:
        """Nothing is given back."""

    def describe(self) -> str:
        """As in ``at most 0.1 retries a request, 10 at once``."""
        return f"at most {self.ratio:.4g} retries a request, {self.size:g} at once"
