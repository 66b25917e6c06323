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


SHORTEST_RUN = 5
"""Whole numbers that follow each other are written as a range from this many on."""


def listing(items: Iterable[object]) -> str:
    """As in ``429, 503``, ``429, 500–599``; ``nothing`` for none."""
    items = list(items)
    whole = sorted(item for item in items if isinstance(item, int))
    words = sorted(str(item) for item in items if not isinstance(item, int))
    return ", ".join(_ranges(whole) + words) or "nothing"


def _ranges(numbers: list[int]) -> list[str]:
    """The sorted `numbers`, long runs of them as ranges."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown: list[str] = []
    for run in runs:
        is_long = len(run) >= SHORTEST_RUN
        shown += [f"{run[0]}–{run[-1]}"] if is_long else [str(number) for number in run]
    return shown
