"""What all JSON files have in common: how they are laid out, and how numbers stand in them."""

import json
from collections.abc import Callable

from reports.statistics.value import Value

Json = dict[str, object]


def indented(document: object) -> str:
    """To read as to parse, with a newline at the end."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def to_the_microsecond(number: float) -> float:
    """So that 0.1 · 3 reads 0.3."""
    return round(number, 6)


def to_nine_digits(number: float) -> float:
    """Likewise, and a small share or *p* is not rounded to nothing."""
    return float(f"{number:.9g}")


def rounded(value: object, to: Callable[[float], float] = to_the_microsecond) -> object:
    """Every float in it is rounded; everything else is as it was."""
    if isinstance(value, float):
        return to(value)
    if isinstance(value, dict):
        return {key: rounded(item, to) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item, to) for item in value]
    return value


def value(found: Value | None) -> Json:
    """A late one is no number: its `value` is null, and `beyond` says by when it had not come."""
    amount, late = (found.amount, found.late) if found else (None, False)
    return {"value": None if late else amount, "beyond": amount if late else None}
