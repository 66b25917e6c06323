"""Figures of a policy as text: the same on the terminal and in the docs."""

import json

from aftershock_units import format_duration, parse_duration_s
from loadtests.policies.catalogue import Value
from loadtests.policies.catalogue.parameters import EMPTY, NONE
from loadtests.policies.outage import Outage
from loadtests.policies.units import listing


def delay(seconds: float) -> str:
    """Three digits, as in ``0``, ``84 ms``, ``1.25 s``, ``120 s``."""
    if seconds < 1e-9:
        return "0"
    if seconds < 0.9995:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def attempts(outage: Outage) -> str:
    """As in ``1,109``; ``over 100,000`` where it did not end while we looked."""
    return f"over {outage.attempts:,}" if outage.cut_short else f"{outage.attempts:,}"


def value(name: str, of: Value) -> str:
    """A parameter's value as it is typed, with its unit: it is read as the very same value."""
    if of is None:
        return NONE
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, frozenset):
        return "+".join(_members(of)) or EMPTY
    return (of or EMPTY) if isinstance(of, str) else _figure(name, of)


def toml(name: str, of: Value) -> str:
    """A parameter's value as TOML has it; what has a unit is text with it."""
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, frozenset):
        return json.dumps(sorted(of))
    if isinstance(of, int | float):
        text = value(name, of)
        return repr(of) if text.replace(".", "").isdigit() else json.dumps(text)
    return json.dumps(NONE if of is None else of, ensure_ascii=False)


def _figure(name: str, of: float) -> str:
    if name.endswith("_s"):
        return _typed_duration(of)
    if name.endswith("_share") and float(f"{of * 100:g}") / 100 == of:
        return f"{of * 100:g}%"
    return f"{of:g}" if float(f"{of:g}") == of else repr(of)


def _typed_duration(seconds: float) -> str:
    """As in ``0s``, ``100ms``, ``1.5s``, ``2m``, ``6h``; a bare number where none is exact."""
    for size_s, unit in ((3600, "h"), (60, "m")):
        if seconds and seconds % size_s == 0:
            return f"{seconds / size_s:.0f}{unit}"
    short = f"{seconds * 1000:g}ms" if 0 < seconds < 1 else f"{seconds:g}s"
    for text in (short, format_duration(seconds)):
        if "e" not in text and parse_duration_s(text) == seconds:
            return text
    return repr(seconds)


def _members(members: frozenset[int] | frozenset[str]) -> list[str]:
    """The members, long runs of whole numbers as from where to where."""
    if numbers := [member for member in members if isinstance(member, int)]:
        return listing(numbers).replace("–", "-").split(", ")
    return sorted(map(str, members))
