"""Dips in one line of text, for form fields and flags.

``20% for 2s at 10s; 0/s for 500ms at 30s as ramp in no-retry,full-jitter``
"""

from aftershock_units import parse_duration_s, parse_named
from faults.dip import Dip, parse_shape

SCHEDULE_FORM = (
    '"CAPACITY for DURATION [at TIME] [as step|ramp] [in LANE,LANE]", several with ";", '
    'as in "20% for 2s at 10s; 0/s for 500ms at 30s"'
)
_KEYWORDS = ("for", "at", "as", "in")


def parse_schedule(text: str) -> tuple[Dip, ...]:
    """The dips in `text`, in its order; none in an empty text. Raises `ValueError`."""
    return tuple(_parse_dip(part.strip()) for part in text.split(";") if part.strip())


def _parse_dip(part: str) -> Dip:
    capacity, *words = part.split()
    said = dict(zip(words[::2], words[1::2], strict=False))
    repeated = len(said) != len(words) / 2
    if repeated or "for" not in said or any(word not in _KEYWORDS for word in said):
        raise ValueError(f"{part[:64]!r} is not a dip: expected {SCHEDULE_FORM}")
    try:
        return Dip(
            capacity=capacity,
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            shape=parse_shape(said.get("as", "step")),
            lanes=tuple(said["in"].split(",")) if "in" in said else None,
        )
    except ValueError as error:
        raise ValueError(f"in the dip {part[:64]!r}: {error}") from None
