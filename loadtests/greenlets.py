"""Greenlets that are used again.

A request runs in a greenlet of its own, but not in a new one: from Python 3.11 on a new greenlet
maps memory for its frames and unmaps it when it ends, two system calls and a page fault that
each request would pay for.
"""

from collections.abc import Callable

import gevent
from gevent import Greenlet
from gevent.hub import get_hub

MOST = 100_000
"""Jobs of one user under way at once: as requests they take 1.7 GB."""


class TooManyUnderWayError(Exception):
    """More is started than ends, without bound."""


class ReusedGreenlet(Greenlet):  # type: ignore[misc]  # gevent has no types
    """Runs one job after another, and sleeps in `idle` between them.

    `due_s` is when the job was due, for whoever in it wants to know; it is the job's to change.
    """

    def __init__(self, idle: list["ReusedGreenlet"]) -> None:
        super().__init__()
        self._idle = idle
        self.job: Callable[[], None] | None = None
        self.due_s: float | None = None

    def _run(self) -> None:
        hub = get_hub()
        while True:
            if self.job is not None:
                self.job()
            self.job = None
            self._idle.append(self)
            hub.switch()  # until `Greenlets.start` switches here


class Greenlets:
    """As many greenlets as jobs were ever under way at once."""

    def __init__(self, most: int = MOST) -> None:
        """None yet, and never more than `most`."""
        self._most = most
        self._all: list[ReusedGreenlet] = []
        self._idle: list[ReusedGreenlet] = []

    def start(self, job: Callable[[], None], due_s: float) -> None:
        """Run `job`, which must not raise, as soon as the event loop gets to it.

        Raises `TooManyUnderWayError`.
        """
        if self._idle:
            greenlet = self._idle.pop()
            greenlet.job, greenlet.due_s = job, due_s
            get_hub().loop.run_callback(greenlet.switch)
        elif len(self._all) >= self._most:
            raise TooManyUnderWayError(
                f"{self._most:,} requests of one user are on their way at once, the most that a "
                "load generator keeps: the load is more than it and the target can carry"
            )
        else:
            greenlet = ReusedGreenlet(self._idle)
            greenlet.job, greenlet.due_s = job, due_s
            self._all.append(greenlet)
            greenlet.start()

    @property
    def busy(self) -> int:
        """How many jobs are under way."""
        return len(self._all) - len(self._idle)

    def wait(self, timeout_s: float) -> None:
        """Until no job is under way, or the time is up."""
        with gevent.Timeout(timeout_s, False):
            while self.busy:
                gevent.sleep(0.01)

    def kill(self) -> None:
        """End all jobs that are under way, and every greenlet."""
        gevent.killall(self._all, block=False)
        self._all, self._idle = [], []
