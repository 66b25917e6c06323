"""Dips and load spikes in one line of text, for form fields and flags.

``20% for 2s at 10s; 0/s for 500ms at 30s as ramp in no-retry,full-jitter``
``3x for 2s at 10s in immediate``
"""

import re
from collections.abc import Collection

from aftershock_units import parse_duration_s, parse_named
from faults.dip import Dip, parse_shape
from faults.spike import Spike

SCHEDULE_FORM = (
    '"CAPACITY for DURATION [at TIME] [as step|ramp] [in LANE,LANE]", several with ";", '
    'as in "20% for 2s at 10s; 0/s for 500ms at 30s"'
)
SPIKES_FORM = '"FACTORx for DURATION [at TIME] [in LANE,LANE]", several with ";", as in "3x for 2s"'
_KEYWORDS = ("for", "at", "as", "in")
_SPIKE_KEYWORDS = ("for", "at", "in")


def parse_schedule(text: str) -> tuple[Dip, ...]:
    """The dips in `text`, in its order; none in an empty text. Raises `ValueError`."""
    return tuple(_parse_dip(part.strip()) for part in text.split(";") if part.strip())


def parse_spikes(text: str) -> tuple[Spike, ...]:
    """The load spikes in `text`, in its order; none in an empty text. Raises `ValueError`."""
    return tuple(_parse_spike(part.strip()) for part in text.split(";") if part.strip())


def _said(part: str, keywords: Collection[str], form: str) -> tuple[str, dict[str, str]]:
    """The first word, and those that follow the keywords; ``for`` must be among them."""
    first, *words = part.split()
    said = dict(zip(words[::2], words[1::2], strict=False))
    repeated = len(said) != len(words) / 2
    if repeated or "for" not in said or any(word not in keywords for word in said):
        raise ValueError(f"{part[:64]!r} is not {form}")
    return first, said


def _parse_dip(part: str) -> Dip:
    capacity, said = _said(part, _KEYWORDS, f"a dip: expected {SCHEDULE_FORM}")
    try:
        return Dip(
            capacity=capacity,
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            shape=parse_shape(said.get("as", "step")),
            lanes=_lanes(said),
        )
    except ValueError as error:
        raise ValueError(f"in the dip {part[:64]!r}: {error}") from None


def _parse_spike(part: str) -> Spike:
    times, said = _said(part, _SPIKE_KEYWORDS, f"a spike: expected {SPIKES_FORM}")
    try:
        return Spike(
            factor=parse_named("factor", parse_factor, times),
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            lanes=_lanes(said),
        )
    except ValueError as error:
        raise ValueError(f"in the spike {part[:64]!r}: {error}") from None


def parse_factor(times: str) -> float:
    """How many times the load, as in ``"3x"``. Raises `ValueError`."""
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)x", times)
    if match is None:
        raise ValueError(f'{times[:32]!r} is not how many times the load, as in "3x"')
    return float(match[1])


def _lanes(said: dict[str, str]) -> tuple[str, ...] | None:
    return tuple(said["in"].split(",")) if "in" in said else None
