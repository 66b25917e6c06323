"""A load spike as somebody plans it: arrivals multiplied for a while. The clients play it."""

import math
from dataclasses import dataclass

from faults.when import check_when

HIGHEST_FACTOR = 1000.0


@dataclass(frozen=True, slots=True)
class Spike:
    """New requests arrive `factor` times as often from `at_s` on, for `for_s` seconds.

    In these lanes or in all; a factor below 1 is a lull. `at_s` counts from the beginning of
    whatever the spike is part of, say of a test. It asks nothing of the target.
    """

    factor: float
    for_s: float
    at_s: float = 0.0
    lanes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming the field and what is allowed."""
        if not (math.isfinite(self.factor) and 0 <= self.factor <= HIGHEST_FACTOR):
            raise ValueError(f"factor: arrivals are multiplied by 0 to 1000, not {self.factor:g}")
        if self.factor == 1:
            raise ValueError("factor: 1 changes nothing: above it is a spike, below it a lull")
        check_when("a spike", self.for_s, self.at_s, self.lanes)

    @property
    def text(self) -> str:
        """``"× 3"``."""
        return f"× {self.factor:g}"
