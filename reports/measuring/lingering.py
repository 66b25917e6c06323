"""Retries that go on after the load has settled: it fits, and is still more than it was."""

from reports.folding.windows import hold_ticks, window_ticks
from reports.measuring.settling import moving_mean
from reports.reading.series import Counts


def lingering_per_s(before: Counts, since: Counts, tick_s: float) -> float | None:
    """Retries per second `since` the load settled, where they went on to the end.

    They did when each second has more of them than any second `before` the trigger; otherwise
    `None`, as where less than five seconds of either were seen. So a load that always had retries,
    as noise brings them, is not called one that kept them.
    """
    if min(before.size, since.size) < hold_ticks(tick_s):
        return None
    width = window_ticks(tick_s)
    usual, least = moving_mean(before, width).max(), moving_mean(since, width).min()
    return float(since.mean()) / tick_s if least > usual else None
