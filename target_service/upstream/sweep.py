"""One timer for many that wait: most are over before it looks at them, and cost it nothing."""

import asyncio
from collections.abc import Callable


class Sweep:
    """Makes the calls that were not taken back within `after_s`. It is for one event loop."""

    __slots__ = ("_after_s", "_since_s", "_timer")

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._since_s: dict[Callable[[], None], float] = {}
        """The oldest first."""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, call: Callable[[], None]) -> None:
        """Call it when the time is over."""
        loop = asyncio.get_running_loop()
        self._since_s[call] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._after_s, self._look, loop)

    def discard(self, call: Callable[[], None]) -> None:
        """Do not call it any more, if it still waits."""
        self._since_s.pop(call, None)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now_s = loop.time()
        while self._since_s:
            call, since_s = next(iter(self._since_s.items()))
            # Timers may come a hair early.
            if (left_s := since_s + self._after_s - now_s) > 0.001:
                self._timer = loop.call_later(left_s, self._look, loop)
                return
            del self._since_s[call]
            call()
