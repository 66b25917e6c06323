"""The stretches of time that a chart can show, and the bins that each is drawn in."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """The last `length_s` seconds, in bins of `nominal_s`, or of a tick where that is longer."""

    length_s: float
    nominal_s: float

    @property
    def size(self) -> int:
        """Bins in it, at most."""
        return round(self.length_s / self.nominal_s)

    def bin_s(self, tick_s: float) -> float:
        """The width of its bins."""
        return max(tick_s, self.nominal_s)

    def index(self, at_s: float, tick_s: float) -> int:
        """The number of the bin that `at_s` lies in; bin 0 begins when the target's clock does."""
        return math.floor(at_s / self.bin_s(tick_s) + 1e-9)


WINDOWS = {
    "30s": Window(30.0, 0.1),
    "5m": Window(300.0, 1.0),
    "1h": Window(3600.0, 10.0),
}
"""By the name that the page asks with."""
