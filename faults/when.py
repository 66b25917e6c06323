"""When and where something planned happens, checked alike for everything."""

import math

from aftershock_units import format_brief

SHORTEST_S = 0.001
LONGEST_S = 3600.0
LATEST_S = 86_400.0


def told(seconds: float) -> str:
    """A duration as people would give it: ``"9h"``, ``"90m"``, ``"1.5s"``."""
    if not math.isfinite(seconds):
        return f"{seconds}s"
    for unit_s, unit in ((3600, "h"), (60, "m")):
        if seconds and seconds % unit_s == 0:
            return f"{seconds / unit_s:.0f}{unit}"
    return format_brief(seconds)


def check_when(what: str, for_s: float, at_s: float, lanes: tuple[str, ...] | None) -> None:
    """Raise `ValueError`, naming the field and what is allowed. `what` is as in "a dip"."""
    if not SHORTEST_S <= for_s <= LONGEST_S:
        raise ValueError(f"for: {what} lasts from 1ms to 1h, not {told(for_s)}")
    if not 0 <= at_s <= LATEST_S:
        raise ValueError(f"at: {what} begins from 0s to 24h, not at {told(at_s)}")
    if lanes is not None and not lanes:
        raise ValueError("lanes: name at least one lane, or leave it out for every lane")


def check_share(field: str, share: float) -> None:
    """Raise `ValueError` where `share` is not from 0 to 1."""
    if not 0 <= share <= 1:
        raise ValueError(f"{field}: a share is from 0% to 100%, not {share * 100:g}%")
