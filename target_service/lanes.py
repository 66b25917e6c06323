"""A lane: one isolated capacity, what is admitted to it and counted in it."""

from target_service.admission import Admission
from target_service.limits import MAX_LANE_NAME, MAX_LANES
from target_service.meter import Counts, LaneTick

LANE_NAME_FORM = (
    f"a lane name: 1 to {MAX_LANE_NAME} printable ASCII characters, no space at either end"
)
LANE_LIMIT = f"there are {MAX_LANES} lanes, the limit"


class BadLaneNameError(ValueError):
    """A text that cannot name a lane."""


class TooManyLanesError(Exception):
    """As many lanes as are allowed exist."""


class UnknownLaneError(LookupError):
    """A lane was named that does not exist (yet)."""


def checked_name(name: str) -> str:
    """`name`, if it can name a lane. Raises `BadLaneNameError`, naming what is allowed."""
    plain = name.isascii() and name.isprintable() and name == name.strip()
    if not plain or not 1 <= len(name) <= MAX_LANE_NAME:
        raise BadLaneNameError(f"expected {LANE_NAME_FORM}")
    return name


class Lane:
    """One lane in the tick that is running, and its totals over the finished ones."""

    __slots__ = ("admission", "base_per_s", "counts", "in_force_per_s", "name", "totals")

    def __init__(self, name: str, base_per_s: float) -> None:
        self.name = name
        self.base_per_s = base_per_s
        self.in_force_per_s = base_per_s
        self.admission = Admission()
        self.counts = Counts()
        self.totals = Counts()

    def open_tick(self, capacity_per_s: float, tick_s: float) -> None:
        """Begin a tick with this capacity in force."""
        self.in_force_per_s = capacity_per_s
        self.admission.open_tick(capacity_per_s, tick_s)

    def close_tick(self) -> LaneTick:
        """End the tick that is running and begin to count anew."""
        tick = self.counts.frozen(self.in_force_per_s)
        if not tick.idle:
            self.totals.add(tick)
            self.counts = Counts()
        return tick
