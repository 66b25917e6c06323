"""Durations and sets as the formulas show them."""

from collections.abc import Iterable


def duration(seconds: float) -> str:
    """As in ``0``, ``100 ms``, ``1.5 s``, ``2 min``."""
    if seconds == 0:
        return "0"
    if seconds < 1:
        return f"{seconds * 1000:g} ms"
    return f"{seconds / 60:g} min" if seconds >= 60 and seconds % 60 == 0 else f"{seconds:g} s"


def listing(items: Iterable[object]) -> str:
    """As in ``429, 503``; ``nothing`` for none."""
    return ", ".join(sorted(str(item) for item in items)) or "nothing"
