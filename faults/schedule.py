"""Dips, other faults and load spikes in one line of text, for form fields and flags.

``20% for 2s at 10s; 0/s for 500ms at 30s as ramp in no-retry,full-jitter``
``20% for 2s at 10s every 30s repeat 10``
``latency add 200ms spread 50ms share 50% for 5s; error status 503 for 2s at 12s in no-retry``
``3x for 2s at 10s in immediate``
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from aftershock_units import parse_count, parse_duration_s, parse_named, parse_share
from faults.dip import Dip, parse_shape
from faults.fault import ServiceFault, parse_fault_type
from faults.repeating import Event, check_count, check_repeat, repeated
from faults.spike import Spike

Value = TypeVar("Value")

SCHEDULE_FORM = (
    '"CAPACITY for DURATION [at TIME] [every TIME repeat NUMBER] [as step|ramp] [in LANE,LANE]", '
    'several with ";", as in "20% for 2s at 10s; 0/s for 500ms at 30s" or '
    '"20% for 2s at 10s every 30s repeat 10"'
)
SPIKES_FORM = (
    '"FACTORx for DURATION [at TIME] [every TIME repeat NUMBER] [in LANE,LANE]", several with '
    '";", as in "3x for 2s"'
)
FAULTS_FORM = (
    '"latency|error|hang|reset|cut for DURATION [share PERCENT] [add DURATION] [spread DURATION] '
    "[status NUMBER] [retry_after DURATION] [at TIME] [every TIME repeat NUMBER] "
    '[in LANE,LANE]", several with ";", as in "latency add 200ms share 50% for 5s; '
    'error status 503 for 2s at 10s"'
)
_SPIKE_KEYWORDS = ("for", "at", "every", "repeat", "in")
_KEYWORDS = (*_SPIKE_KEYWORDS, "as")
_FAULT_KEYWORDS = (*_SPIKE_KEYWORDS, "share", "add", "spread", "status", "retry_after")


@dataclass(frozen=True, slots=True)
class Part(Generic[Event]):
    """What stands between two ``;``: an event, and again if it is repeated.

    `at_said`: it says when it begins, which else is at 0.
    """

    events: tuple[Event, ...]
    at_said: bool
    repeat: int | None = None
    every_s: float | None = None

    @property
    def first(self) -> Event:
        """Without those that follow it."""
        return self.events[0]


def parse_schedule(text: str) -> tuple[Dip, ...]:
    """The dips in `text`, in its order; none in an empty text. Raises `ValueError`."""
    return tuple(dip for part in dip_parts(text) for dip in part.events)


def parse_spikes(text: str) -> tuple[Spike, ...]:
    """The load spikes in `text`, in its order; none in an empty text. Raises `ValueError`."""
    return tuple(spike for part in spike_parts(text) for spike in part.events)


def parse_faults(text: str) -> tuple[ServiceFault, ...]:
    """The faults of the service in `text`, in its order; none in an empty text.

    Raises `ValueError`.
    """
    return tuple(fault for part in fault_parts(text) for fault in part.events)


def dip_parts(text: str) -> tuple[Part[Dip], ...]:
    """The dips as they were said, with those that repeat in one part. Raises `ValueError`."""
    return _parts(text, _parse_dip)


def fault_parts(text: str) -> tuple[Part[ServiceFault], ...]:
    """The faults, likewise."""
    return _parts(text, _parse_fault)


def spike_parts(text: str) -> tuple[Part[Spike], ...]:
    """The load spikes, likewise."""
    return _parts(text, _parse_spike)


def _parts(text: str, parse: Callable[[str], Part[Event]]) -> tuple[Part[Event], ...]:
    parts = tuple(parse(part.strip()) for part in text.split(";") if part.strip())
    check_count(sum(len(part.events) for part in parts))
    return parts


def _said(part: str, keywords: Collection[str], form: str) -> tuple[str, dict[str, str]]:
    """The first word, and those that follow the keywords; ``for`` must be among them."""
    first, *words = part.split()
    said = dict(zip(words[::2], words[1::2], strict=False))
    twice = len(said) != len(words) / 2
    if twice or "for" not in said or any(word not in keywords for word in said):
        raise ValueError(f"{part[:64]!r} is not {form}")
    return first, said


def _parse_dip(part: str) -> Part[Dip]:
    capacity, said = _said(part, _KEYWORDS, f"a dip: expected {SCHEDULE_FORM}")
    try:
        dip = Dip(
            capacity=capacity,
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            shape=parse_shape(said.get("as", "step")),
            lanes=_lanes(said),
        )
        return _repeated(dip, said)
    except ValueError as error:
        raise ValueError(f"in the dip {part[:64]!r}: {error}") from None


def _parse_fault(part: str) -> Part[ServiceFault]:
    type_, said = _said(part, _FAULT_KEYWORDS, f"a fault: expected {FAULTS_FORM}")

    def value(name: str, parse: Callable[[str], Value]) -> Value | None:
        return parse_named(name, parse, said[name]) if name in said else None

    try:
        fault = ServiceFault(
            type=parse_fault_type(type_),
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            lanes=_lanes(said),
            share=parse_named("share", parse_share, said.get("share", "100%")),
            add_s=value("add", parse_duration_s),
            spread_s=value("spread", parse_duration_s),
            status=value("status", _whole_number),
            retry_after_s=value("retry_after", parse_duration_s),
        )
        return _repeated(fault, said)
    except ValueError as error:
        raise ValueError(f"in the fault {part[:64]!r}: {error}") from None


def _parse_spike(part: str) -> Part[Spike]:
    times, said = _said(part, _SPIKE_KEYWORDS, f"a spike: expected {SPIKES_FORM}")
    try:
        spike = Spike(
            factor=parse_named("factor", parse_factor, times),
            for_s=parse_named("for", parse_duration_s, said["for"]),
            at_s=parse_named("at", parse_duration_s, said.get("at", "0s")),
            lanes=_lanes(said),
        )
        return _repeated(spike, said)
    except ValueError as error:
        raise ValueError(f"in the spike {part[:64]!r}: {error}") from None


def _repeated(first: Event, said: dict[str, str]) -> Part[Event]:
    repeat = parse_named("repeat", _times, said["repeat"]) if "repeat" in said else None
    every_s = parse_named("every", parse_duration_s, said["every"]) if "every" in said else None
    check_repeat(repeat, every_s, first.for_s)
    return Part(repeated(first, repeat, every_s), "at" in said, repeat, every_s)


def _times(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        raise ValueError(f'{text[:32]!r} is not how many times, as in "10"')
    return int(text)


def _whole_number(text: str) -> int:
    return int(parse_count(text))


def parse_factor(times: str) -> float:
    """How many times the load, as in ``"3x"``. Raises `ValueError`."""
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)x", times)
    if match is None:
        raise ValueError(f'{times[:32]!r} is not how many times the load, as in "3x"')
    return float(match[1])


def _lanes(said: dict[str, str]) -> tuple[str, ...] | None:
    return tuple(said["in"].split(",")) if "in" in said else None
