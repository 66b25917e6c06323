"""A dip as somebody plans it: how low, how long, when, where."""

from dataclasses import dataclass
from typing import Literal

from aftershock_units import format_brief, format_rate, parse_rate_per_s, parse_share
from faults.when import LONGEST_S, SHORTEST_S, check_when, told

Shape = Literal["step", "ramp"]

CAPACITY_FORM = 'a rate per second or a share of each lane\'s capacity, as in "20/s" or "20%"'
HIGHEST_PER_S = 1_000_000.0
MOST_WORKERS = 10_000
_SHAPES: dict[str, Shape] = {"step": "step", "ramp": "ramp"}


def check_capacity(text: str) -> None:
    """Raise `ValueError`, naming what is allowed, where `text` is neither a rate nor a share."""
    if text.strip().endswith("%"):
        parse_share(text)
    elif "/" in text:
        if parse_rate_per_s(text) > HIGHEST_PER_S:
            raise ValueError(f"{text[:32]!r} is above {format_rate(HIGHEST_PER_S)}")
    else:
        raise ValueError(f"{text[:32]!r} is not {CAPACITY_FORM}")


def parse_shape(text: str) -> Shape:
    """The shape of this name. Raises `ValueError`, naming what is allowed."""
    if text not in _SHAPES:
        raise ValueError(f"shape: {text[:32]!r} is not step or ramp")
    return _SHAPES[text]


@dataclass(frozen=True, slots=True)
class Dip:
    """Capacity is lower from `at_s` on, for `for_s` seconds, in these lanes or in all.

    How low is one of three: a `capacity`, a number of `workers`, or a mean service time of
    `service_time_s` seconds; the latter two need a target with a queue and workers. After `for_s`
    capacity climbs back evenly within `slow_start_s`, which belongs to the dip. `at_s` counts from
    the beginning of whatever the dip is part of, say of a test.
    """

    capacity: str | None
    for_s: float
    at_s: float = 0.0
    shape: Shape = "step"
    lanes: tuple[str, ...] | None = None
    workers: int | None = None
    service_time_s: float | None = None
    slow_start_s: float = 0.0

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming the field and what is allowed."""
        self._check_level()
        check_when("a dip", self.for_s, self.at_s, self.lanes)
        parse_shape(self.shape)
        if not 0 <= self.slow_start_s <= LONGEST_S:
            raise ValueError(f"slow_start: it lasts from 0s to 1h, not {told(self.slow_start_s)}")
        if self.slow_start_s and self.shape == "ramp":
            raise ValueError("slow_start: a ramp climbs back by itself: leave one of them out")

    def _check_level(self) -> None:
        levels = (self.capacity, self.workers, self.service_time_s)
        if sum(level is not None for level in levels) != 1:
            raise ValueError("capacity: give exactly one of capacity, workers and service_time")
        if self.capacity is not None:
            try:
                check_capacity(self.capacity)
            except ValueError as error:
                raise ValueError(f"capacity: {error}") from None
        if self.workers is not None and not 0 <= self.workers <= MOST_WORKERS:
            raise ValueError(f"workers: expected 0 to {MOST_WORKERS}, not {self.workers}")
        if self.service_time_s is not None and not SHORTEST_S <= self.service_time_s <= LONGEST_S:
            raise ValueError(f"service_time: expected 1ms to 1h, not {told(self.service_time_s)}")

    @property
    def text(self) -> str:
        """What is left: ``"20%"``, ``"2 workers"``, ``"service time 100ms"``; and a slow start."""
        if self.workers is not None:
            left = f"{self.workers} worker{'' if self.workers == 1 else 's'}"
        elif self.service_time_s is not None:
            left = f"service time {format_brief(self.service_time_s)}"
        else:
            left = (self.capacity or "").strip()
        slow = f", slow start {format_brief(self.slow_start_s)}" if self.slow_start_s else ""
        return left + slow
