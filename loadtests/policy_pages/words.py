"""Figures of a policy as text: the same on the terminal and in the docs."""

import json

from loadtests.policies.catalogue import Value
from loadtests.policies.catalogue.parameters import NONE
from loadtests.policies.outage import Outage
from loadtests.policies.units import duration, listing


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
    """A parameter's value as it is typed, with its unit."""
    if of is None:
        return "none"
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, frozenset):
        return _compact(of)
    if isinstance(of, str):
        return of or '""'
    if name.endswith("_s"):
        return duration(of)
    return f"{of * 100:g}%" if name.endswith("_share") else f"{of:g}"


def toml(of: Value) -> str:
    """A parameter's value as TOML has it, for the parameter's full name."""
    if isinstance(of, bool):
        return str(of).lower()
    if isinstance(of, frozenset):
        return json.dumps(sorted(of))
    if isinstance(of, int | float):
        return f"{of:g}" if isinstance(of, int) else repr(of)
    return json.dumps(NONE if of is None else of, ensure_ascii=False)


def _compact(members: frozenset[int] | frozenset[str]) -> str:
    """The members, or from where to where when they are a long run of whole numbers."""
    numbers = sorted(member for member in members if isinstance(member, int))
    if len(numbers) > 8 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}–{numbers[-1]}"
    return listing(members)
