"""The target's clock, and the task that comes at the end of every tick."""

import asyncio
import time
from collections.abc import Callable

from target_service.target import Target

Clock = Callable[[], float]
"""Seconds since the target started."""

# uvloop counts its timers in whole milliseconds; asking for less would spin.
SHORTEST_SLEEP_S = 0.001


def clock_from_now() -> Clock:
    """A monotonic clock that begins at 0."""
    started_s = time.monotonic()
    return lambda: time.monotonic() - started_s


async def keep_ticking(target: Target, clock: Clock, then: Callable[[], None]) -> None:
    """Come to the target at the end of every tick, with the CPU time used; lateness shows lag.

    `then` is called after that.
    """
    seen_cpu_s = time.process_time()
    while True:
        due_s = target.grid.start_s(target.seq + 1)
        await asyncio.sleep(0)  # others get a turn even when the ticker has to catch up
        while (left_s := due_s - clock()) > 0:
            await asyncio.sleep(max(left_s, SHORTEST_SLEEP_S))
        cpu_s = time.process_time()
        target.observe(clock(), cpu_s - seen_cpu_s)
        seen_cpu_s = cpu_s
        then()
