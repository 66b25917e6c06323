"""A dip as somebody plans it: how low, how long, when, where."""

from dataclasses import dataclass
from typing import Literal

from aftershock_units import format_rate, parse_rate_per_s, parse_share

Shape = Literal["step", "ramp"]

CAPACITY_FORM = 'a rate per second or a share of each lane\'s capacity, as in "20/s" or "20%"'
HIGHEST_PER_S = 1_000_000.0
SHORTEST_S = 0.001
LONGEST_S = 3600.0
LATEST_S = 86_400.0
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
    """Capacity is down to `capacity` from `at_s` on, for `for_s` seconds, in these lanes or in all.

    `at_s` counts from the beginning of whatever the dip is part of, say of a test.
    """

    capacity: str
    for_s: float
    at_s: float = 0.0
    shape: Shape = "step"
    lanes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError`, naming the field and what is allowed."""
        try:
            check_capacity(self.capacity)
        except ValueError as error:
            raise ValueError(f"capacity: {error}") from None
        if not SHORTEST_S <= self.for_s <= LONGEST_S:
            raise ValueError(f"for: a dip lasts from 1ms to 1h, not {self.for_s:g}s")
        if not 0 <= self.at_s <= LATEST_S:
            raise ValueError(f"at: a dip begins from 0s to 24h, not at {self.at_s:g}s")
        parse_shape(self.shape)
        if self.lanes is not None and not self.lanes:
            raise ValueError("lanes: name at least one lane, or leave it out for every lane")
