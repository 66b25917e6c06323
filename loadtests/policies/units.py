"""Durations and sets as the formulas show them."""

from collections.abc import Iterable


def duration(seconds: float) -> str:
    """As in ``0``, ``100 ms``, ``1.5 s``, ``2 min``, ``6 h``."""
    if seconds == 0:
        return "0"
    if seconds < 1:
        return f"{seconds * 1000:g} ms"
    for size_s, unit in ((3600, "h"), (60, "min")):
        if seconds >= size_s and seconds % size_s == 0:
            return f"{seconds / size_s:g} {unit}"
    return f"{seconds:g} s"


def listing(items: Iterable[object]) -> str:
    """As in ``429, 503``; ``nothing`` for none."""
    return ", ".join(sorted(str(item) for item in items)) or "nothing"
