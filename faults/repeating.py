"""The same thing several times: how often, and how long from one beginning to the next."""

from dataclasses import replace
from typing import TypeVar

from faults.dip import Dip
from faults.fault import ServiceFault
from faults.spike import Spike
from faults.when import LATEST_S, told

MAX_EVENTS = 100
"""Dips, and as many of each other thing that happens in a run; each time counts."""
CLOSE_S = 1e-9
"""Sums of floats are not exact: 0.1 + 0.2 is no longer than 0.3."""
Event = TypeVar("Event", Dip, ServiceFault, Spike)


def check_repeat(repeat: int | None, every_s: float | None, lasts_s: float) -> None:
    """Raise `ValueError`, naming the field, where something of `lasts_s` cannot be repeated so.

    Neither or both are given, but that once needs no `every`.
    """
    if repeat is not None and not 1 <= repeat <= MAX_EVENTS:
        raise ValueError(f"repeat: expected 1 to {MAX_EVENTS} times, not {repeat}")
    if every_s is None:
        if repeat not in {None, 1}:
            raise ValueError(
                'every: repeat needs it: how long from one beginning to the next, as in "30s"'
            )
        return
    if repeat is None:
        raise ValueError("repeat: every needs it: how many times, as in 10")
    if every_s < lasts_s - CLOSE_S:
        raise ValueError(
            f"every: each lasts {told(lasts_s)}, so they would overlap: expected at least that, "
            f"not {told(every_s)}"
        )


def begins_s(at_s: float, repeat: int | None, every_s: float | None) -> tuple[float, ...]:
    """When each begins: at `at_s`, and each `every_s` after the one before, to the nanosecond.

    Raises `ValueError` where the last comes too late.
    """
    if repeat in {None, 1} or every_s is None:
        return (at_s,)
    last_s = at_s + (repeat - 1) * every_s
    if last_s > LATEST_S:
        raise ValueError(
            f"every: the last of {repeat} would begin at {told(round(last_s, 9))}: "
            f"expected at most {told(LATEST_S)}"
        )
    return tuple(round(at_s + number * every_s, 9) for number in range(repeat))


def repeated(first: Event, repeat: int | None, every_s: float | None) -> tuple[Event, ...]:
    """The first and those that follow it. Raises `ValueError` as `begins_s` does."""
    return tuple(replace(first, at_s=at_s) for at_s in begins_s(first.at_s, repeat, every_s))


def check_count(counts: int) -> None:
    """Raise `ValueError` where there are too many of one kind, each time counted."""
    if counts > MAX_EVENTS:
        raise ValueError(f"{counts} of them, each time counted: expected at most {MAX_EVENTS}")
