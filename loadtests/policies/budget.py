"""A retry budget: at most a share of the requests may be retries."""

import math
from dataclasses import dataclass


@dataclass(slots=True)
class TokenBudget:
    """The bucket of article 000: a request adds `ratio` tokens up to `size`; a retry takes 1.

    It starts empty. Over any period retries are at most ``size + ratio · requests``.
    """

    ratio: float = 0.1
    size: float = 10.0
    tokens: float = 0.0

    def __post_init__(self) -> None:
        """Raises `ValueError` for a ratio outside 0 to 1 or a size that no retry fits in."""
        if not 0 <= self.ratio <= 1:
            raise ValueError(f"budget_ratio is {self.ratio}: expected 0 to 1")
        if not (math.isfinite(self.size) and self.size >= 1):
            raise ValueError(f"budget_size is {self.size}: expected a finite number, 1 or more")

    def deposit(self) -> None:
        """A new request was made."""
        self.tokens = min(self.size, self.tokens + self.ratio)

    def withdraw(self) -> bool:
        """Take a token for a retry. False, and nothing taken, when there is none."""
        # Ten times 0.1 is a hair below 1 in floating point; that hair must not refuse a retry.
        if self.tokens < 1 - 1e-9:
            return False
        self.tokens = max(0.0, self.tokens - 1)
        return True

    def describe(self) -> str:
        """As in ``at most 0.1 retries a request, 10 at once``."""
        return f"at most {self.ratio:.4g} retries a request, {self.size:g} at once"
