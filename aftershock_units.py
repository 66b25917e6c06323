"""Durations, rates and shares as people write them: ``"2s"``, ``"100/s"``, ``"20%"``.

The one module that every package may import, and it imports nothing of ours: a duration
means the same in a scenario, at the admin API and on the command line.
"""

import math
import re
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

_NUMBER = r"(?P<number>[0-9]+(?:\.[0-9]+)?)"
_DURATION = re.compile(rf"\s*{_NUMBER}\s*(?P<unit>ms|s|m|h)\s*")
_RATE = re.compile(rf"\s*{_NUMBER}\s*/\s*(?P<unit>s)\s*")
_SHARE = re.compile(rf"\s*{_NUMBER}\s*%\s*")
_COUNT = re.compile(r"\s*(?P<number>[0-9]{1,15})\s*")
_FACTOR = re.compile(rf"\s*{_NUMBER}\s*[x×]?\s*")
_MULTIPLE = re.compile(rf"\s*{_NUMBER}\s*[x×]\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

DURATION_FORM = 'a duration: a number and ms, s, m or h, as in "2s" or "500ms"'
RATE_FORM = 'a rate per second, as in "100/s"'
SHARE_FORM = 'a share from 0% to 100%, as in "20%"'
COUNT_FORM = 'a whole number, as in "120"'
FACTOR_FORM = 'a factor, as in "1.2" or "1.2x"'
MULTIPLE_FORM = 'a number and x, as in "3x"'


def _match(pattern: re.Pattern[str], text: str, form: str) -> tuple[float, str]:
    """The number and the unit in `text`. A text too long to be meant is not searched at all."""
    match = pattern.fullmatch(text) if len(text) <= 32 else None
    if match is None:
        raise ValueError(f"{text[:32]!r} is not {form}")
    number = float(match["number"])
    if not math.isfinite(number):
        raise ValueError(f"{text[:32]!r} is too large: expected {form}")
    return number, match.groupdict().get("unit", "")


def parse_named(name: str, parse: Callable[[str], Value], text: str) -> Value:
    """What `parse` makes of `text`. Its `ValueError` is raised with `name` before what it says."""
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def parse_duration_s(text: str) -> float:
    """Seconds in a text such as ``"2s"``. Raises `ValueError`, naming what is allowed."""
    number, unit = _match(_DURATION, text, DURATION_FORM)
    return number * _SECONDS[unit]


def parse_rate_per_s(text: str) -> float:
    """Events per second in a text such as ``"100/s"``. Raises `ValueError` as above."""
    return _match(_RATE, text, RATE_FORM)[0]


def parse_share(text: str) -> float:
    """The fraction in a text such as ``"20%"``: 0.2. Raises `ValueError` as above."""
    number, _ = _match(_SHARE, text, SHARE_FORM)
    if number > 100:
        raise ValueError(f"{text[:32]!r} is not {SHARE_FORM}")
    return number / 100


def parse_count(text: str) -> float:
    """The number in a text such as ``"120"``. Raises `ValueError` as above."""
    return _match(_COUNT, text, COUNT_FORM)[0]


def parse_factor(text: str) -> float:
    """The factor in a text such as ``"1.2"`` or ``"1.2x"``. Raises `ValueError` as above."""
    return _match(_FACTOR, text, FACTOR_FORM)[0]


def parse_multiple(text: str) -> float:
    """The number in a text such as ``"3x"``. Raises `ValueError` as above."""
    return _match(_MULTIPLE, text, MULTIPLE_FORM)[0]


def format_number(value: float) -> str:
    """At most three decimals and no trailing zeros: ``2.0`` is ``"2"``."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def format_duration(seconds: float) -> str:
    """``2.0`` is ``"2s"``: what `parse_duration_s` reads as the same number, to the nanosecond."""
    return f"{_exact(seconds)}s"


def format_brief(seconds: float) -> str:
    """As `format_duration`, in milliseconds below a second: ``0.2`` is ``"200ms"``."""
    return f"{_exact(seconds * 1000)}ms" if 0 < seconds < 1 else format_duration(seconds)


def format_rate(per_s: float) -> str:
    """``100.0`` is ``"100/s"``: what `parse_rate_per_s` reads as the same number, to the 1e-9."""
    return f"{_exact(per_s)}/s"


def format_share(share: float) -> str:
    """``0.2`` is ``"20%"``: what `parse_share` reads as the same number, to the 1e-11."""
    return f"{_exact(share * 100)}%"


def _exact(value: float) -> str:
    """Nine decimals and no trailing zeros: without an exponent, which nobody writes."""
    return f"{value:.9f}".rstrip("0").rstrip(".")
