"""Durations in each format's own syntax, as seconds.

Every reader raises `ValueError` for what its format does not accept; the message says what it does.
"""

import re

MOST_S = 315_576_000_000.0
"""Ten thousand years: the longest that protobuf allows."""

PROTOBUF_FORM = 'a duration in seconds, as in "0.1s"'
GO_FORM = 'a duration, as in "25ms" or "1m30s"'
LINKERD_FORM = 'a whole number and a unit, as in "400ms" or "10s"'
SPRING_FORM = 'a duration, as in "500ms", "PT0.5S" or 500 (milliseconds)'

_NUMBER = r"(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})"
_PROTOBUF = re.compile(r"(?P<seconds>[0-9]{1,12}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})s")
_PART = rf"({_NUMBER})(ns|us|µs|μs|ms|s|m|h)"
_GO_PART = re.compile(_PART)
_GO = re.compile(rf"\+?(?:{_PART})+")
_LINKERD = re.compile(r"(?P<number>[0-9]{1,15})(?P<unit>ms|s|m|h|d)?")
_SPRING = re.compile(r"\+?(?P<number>[0-9]{1,15})(?P<unit>ns|us|ms|s|m|h|d)?", re.IGNORECASE)
_ISO = re.compile(
    r"\+?P(?:(?P<d>[0-9]{1,9})D)?"
    r"(?P<time>T(?:(?P<h>[0-9]{1,9})H)?(?:(?P<m>[0-9]{1,9})M)?"
    r"(?:(?P<s>[0-9]{1,12}(?:[.,][0-9]{0,9})?)S)?)?",
    re.IGNORECASE,
)
_UNITS_S = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3,
    "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip
_PER_S = {"ns": 1e9, "us": 1e6, "µs": 1e6, "μs": 1e6, "ms": 1e3}


def protobuf_s(text: str) -> float:
    """Seconds in protobuf's JSON form: ``0.1s``, and ``.1s`` as gRPC takes it too."""
    match = _PROTOBUF.fullmatch(text)
    if match is None:
        raise ValueError(PROTOBUF_FORM)
    return _bounded(float(match["seconds"]), PROTOBUF_FORM)


def go_s(text: str) -> float:
    """Seconds in Go's form: numbers with units, one after another; ``0`` needs no unit."""
    if text in ("0", "+0"):
        return 0.0
    if len(text) > 200 or _GO.fullmatch(text) is None:
        raise ValueError(GO_FORM)
    parts = (_scaled(float(number), unit) for number, unit in _GO_PART.findall(text))
    return _bounded(sum(parts), GO_FORM)


def linkerd_s(text: str) -> float:
    """Seconds in the form of Linkerd's annotations: a whole number and one unit."""
    match = _LINKERD.fullmatch(text.strip())
    if match is None or (match["unit"] is None and int(match["number"]) != 0):
        raise ValueError(LINKERD_FORM)
    return _bounded(_scaled(float(match["number"]), match["unit"] or "s"), LINKERD_FORM)


def spring_s(value: str | int) -> float:
    """Seconds in Spring's forms: a whole number with a unit (milliseconds without), or ISO 8601."""
    text = str(value).strip() if isinstance(value, str) else f"{value:d}"
    if match := _SPRING.fullmatch(text):
        unit = (match["unit"] or "ms").lower()
        return _bounded(_scaled(float(match["number"]), unit), SPRING_FORM)
    return iso_s(text)


def iso_s(text: str) -> float:
    """Seconds in ISO 8601: ``PT0.5S``, ``PT1M30S``, ``P1D``."""
    match = _ISO.fullmatch(text)
    if match is None or not any(match[part] for part in "dhms"):
        raise ValueError(SPRING_FORM)
    if match["time"] in ("T", "t"):
        raise ValueError(SPRING_FORM)
    parts = (float((match[unit] or "0").replace(",", ".")) * _UNITS_S[unit] for unit in "dhms")
    return _bounded(sum(parts), SPRING_FORM)


def _scaled(number: float, unit: str) -> float:
    """Divide by what a second has of them: 25 ms is 0.025, which 25 · 0.001 is not."""
    return number / _PER_S[unit] if unit in _PER_S else number * _UNITS_S[unit]


def _bounded(seconds: float, form: str) -> float:
    if seconds > MOST_S:
        raise ValueError(form)
    return seconds
