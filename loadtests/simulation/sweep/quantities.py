"""Numbers with their unit as people write them, kept exact: a step of 0.01 is a hundredth."""

import re
from dataclasses import dataclass
from decimal import Decimal

QUANTITY_FORM = 'a number with or without a unit (ms, s, m, h, /s, %, x), as in "500ms" or "0.8"'
_QUANTITY = re.compile(r"\s*(?P<number>-?[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>ms|s|m|h|/\s*s|%|x)?\s*")
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_KINDS = {"/s": "a rate", "%": "a percentage", "x": "a factor", "": "a number without a unit"}
MAX_CHARS = 32


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and the unit that it was written with."""

    number: Decimal
    unit: str

    @property
    def text(self) -> str:
        """As a scenario has it: no exponent, no zeros at the end."""
        digits = f"{self.number:f}"
        return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + self.unit

    @property
    def kind(self) -> str:
        """What it measures: only quantities of one kind can be compared."""
        return "a duration" if self.unit in _MILLISECONDS else _KINDS[self.unit]

    @property
    def size(self) -> Decimal:
        """The number by which those of one kind compare: durations in milliseconds."""
        return self.number * _MILLISECONDS.get(self.unit, 1)


def parse_quantity(text: str) -> Quantity:
    """The number and unit in a text such as ``"1.5s"``. Raises `ValueError`."""
    match = _QUANTITY.fullmatch(text) if len(text) <= MAX_CHARS else None
    if match is None:
        raise ValueError(f"{text[:MAX_CHARS]!r} is not {QUANTITY_FORM}")
    return Quantity(Decimal(match["number"]), (match["unit"] or "").replace(" ", ""))


def in_one_unit(quantities: list[Quantity]) -> list[Quantity]:
    """The same in the smallest of their units, in which all are exact. They are of one kind."""
    units = [quantity.unit for quantity in quantities]
    if set(units) <= _MILLISECONDS.keys():
        least = min(units, key=_MILLISECONDS.__getitem__)
        return [Quantity(q.size / _MILLISECONDS[least], least) for q in quantities]
    return quantities
