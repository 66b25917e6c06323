"""The most that a measure may be, as people write it: ``"6s"``, ``"3x"`` the trigger, ``"5%"``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aftershock_units import (
    COUNT_FORM,
    DURATION_FORM,
    FACTOR_FORM,
    MULTIPLE_FORM,
    RATE_FORM,
    SHARE_FORM,
    parse_count,
    parse_duration_s,
    parse_factor,
    parse_multiple,
    parse_rate_per_s,
    parse_share,
)
from reports.measuring.catalogue import MEASURES
from reports.measuring.measure import Measure, Unit
from reports.measuring.recovery import Figures

MAX_AMOUNT = 1_000_000_000
"""In whatever unit: what is above it was not meant."""

_READ: Mapping[Unit, tuple[Callable[[str], float], str, str]] = {
    Unit.SECONDS: (parse_duration_s, DURATION_FORM, "6s"),
    Unit.MULTIPLE: (parse_multiple, MULTIPLE_FORM, "3x"),
    Unit.COUNT: (parse_count, COUNT_FORM, "120"),
    Unit.RATE: (parse_rate_per_s, RATE_FORM, "150/s"),
    Unit.FACTOR: (parse_factor, FACTOR_FORM, "1.2x"),
    Unit.SHARE: (parse_share, SHARE_FORM, "5%"),
}
"""How each unit is read, what is allowed there, and an example."""

_OF_WHAT: Mapping[Unit, tuple[Callable[[Figures], float | None], str]] = {
    Unit.MULTIPLE: (lambda found: found.trigger.length_s if found.trigger else None, "the trigger"),
    Unit.SHARE: (lambda found: found.requests, "the requests"),
    Unit.FACTOR: (lambda found: found.capacity_per_s, "the capacity"),
}
"""What a limit multiplies that is in another unit than the measure."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So much at most; `text` is how it was written, without blanks."""

    amount: float
    unit: Unit
    text: str

    def bound(self, measure: Measure, figures: Figures) -> float | None:
        """What it comes to in the measure's own unit; `None` where there is nothing to multiply."""
        if self.unit is measure.unit:
            return self.amount
        whole = _OF_WHAT[self.unit][0](figures)
        return self.amount * whole if whole else None

    def of_what(self, measure: Measure) -> str:
        """What it multiplies: ``the trigger``; nothing where it is in the measure's own unit."""
        return "" if self.unit is measure.unit else _OF_WHAT[self.unit][1]


def limited() -> tuple[Measure, ...]:
    """The measures of which a limit can be set."""
    return tuple(measure for measure in MEASURES if measure.limits)


def parse_limit(measure: Measure, text: str) -> Limit:
    """The limit in this text. Raises `ValueError`, naming what is allowed."""
    for unit in measure.limits:
        try:
            amount = _reader(measure, unit)(text)
        except ValueError:
            continue
        if amount > MAX_AMOUNT:
            raise ValueError(f"{text[:32]!r} is too large: expected at most {MAX_AMOUNT:,}")
        return Limit(amount, unit, "".join(text.split()))
    allowed = ", or ".join(_form(measure, unit) for unit in measure.limits)
    raise ValueError(f"{text[:32]!r} is not {allowed}")


def _reader(measure: Measure, unit: Unit) -> Callable[[str], float]:
    """A factor of something has its x: of a rate 150 alone would be 150 times the capacity."""
    other = unit is Unit.FACTOR and unit is not measure.unit
    return parse_multiple if other else _READ[unit][0]


def _form(measure: Measure, unit: Unit) -> str:
    _, form, example = _READ[unit]
    if unit is measure.unit:
        return form
    part = "a share" if unit is Unit.SHARE else "a multiple"
    return f'{part} of {_OF_WHAT[unit][1]}, as in "{example}"'


def examples(measure: Measure) -> str:
    """What a limit may look like: ``6s, or 3x the trigger``."""
    return ", or ".join(_example(measure, unit) for unit in measure.limits)


def _example(measure: Measure, unit: Unit) -> str:
    example = _READ[unit][2]
    if unit is measure.unit:
        return example
    return f"{example} {'of ' if unit is Unit.SHARE else ''}{_OF_WHAT[unit][1]}"
