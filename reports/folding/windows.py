"""The windows in which load is looked at, and how long calm must last to be believed."""

WINDOW_S = 1.0
HOLD_S = 5.0


def window_ticks(tick_s: float) -> int:
    """Ticks in a window of one second: at least one."""
    return max(1, round(WINDOW_S / tick_s))


def hold_ticks(tick_s: float) -> int:
    """Ticks in the hold of five seconds: at least one."""
    return max(1, round(HOLD_S / tick_s))
