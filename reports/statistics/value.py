"""A sample that may not have come about while it was watched."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """`amount` of something; `late`: it had not come about by then, `amount` says by when.

    So a late one is right-censored, and sorts after an equal amount that came about.
    """

    amount: float
    late: bool = False

    def __post_init__(self) -> None:
        if not math.isfinite(self.amount):
            raise ValueError(f"{self.amount} of something: expected a finite amount")
