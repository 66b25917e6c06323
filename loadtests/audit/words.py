"""Figures of an audit as people read them."""

from collections.abc import Iterable, Sequence

_TIMES = ("never", "once", "twice")
_NUMBERS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SHOWN = 3


def printable(text: str, most: int = 120) -> str:
    """`text` on one line and not too long, with nothing in it that a terminal would obey."""
    plain = "".join(char if char.isprintable() else "�" for char in text[:most])
    return f"{plain}…" if len(text) > most else plain


def duration(seconds: float) -> str:
    """``80 ms``, ``1.2 s``: with a decimal below 1 ms and below 10 s."""
    if seconds < 0.00095:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"


def times(number: int) -> str:
    """``once``, ``twice``, ``three times``, ``27 times``."""
    if number < len(_TIMES):
        return _TIMES[number]
    place = number - len(_TIMES)
    return f"{_NUMBERS[place] if place < len(_NUMBERS) else f'{number:,}'} times"


def counted(number: int, noun: str) -> str:
    """``1 attempt``, ``2 attempts``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listing(items: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, end = items
    return f"{', '.join(first)} {last} {end}" if first else end


def intervals(seconds: Sequence[float]) -> str:
    """``24, 25, 39 ms``, or in seconds where one of them is that long: the first three."""
    if not seconds:
        return "–"
    shown = seconds[:_SHOWN]
    if max(shown) < 0.9995:
        figures, unit = [duration(each).removesuffix(" ms") for each in shown], "ms"
    else:
        figures, unit = [f"{each:.2f}" for each in shown], "s"
    more = ", …" if len(seconds) > _SHOWN else ""
    return f"{', '.join(figures)} {unit}{more}"
