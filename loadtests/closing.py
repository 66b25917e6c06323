"""What a process that is told to quit has time for: first to close its record, then the report.

Whoever tells it so does not wait long: a container of ours is killed 5 s later.
"""

import logging
import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import gevent
from gevent import subprocess
from gevent.event import Event

from reports.record import HTML_NAME

log = logging.getLogger("aftershock")

COUNTS_S = 0.8
"""How long after it was told to quit a process waits for its workers' last counts."""
RECORD_S = 1.5
"""How long after that instant it waits for the target's last ticks. Then it closes the record."""
REPORT_S = 2.5
"""How long after that instant the report may take. It can be made later."""


class Leaving:
    """Whether this process is told to quit, and what is left of its time since."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nobody has told it yet."""
        self.told = Event()
        self._clock = clock
        self._told_s = math.inf

    def begin(self) -> None:
        """It is told; that it is told again changes nothing."""
        self._told_s = min(self._told_s, self._clock())
        self.told.set()

    def left_s(self, of_s: float) -> float:
        """What is left of so many seconds since it was told, at least 0; infinite before."""
        return max(0.0, self._told_s + of_s - self._clock())


def make_report(directory: Path, leaving: Leaving, command: Sequence[str] = ()) -> None:
    """Make the report of the run in `directory` and log what it says, unless we quit before.

    In a process of its own: a load generator must not carry what numbers and pictures need.
    """
    process = subprocess.Popen(
        command or [sys.executable, "-m", "reports", str(directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ended = gevent.spawn(process.communicate)
    gevent.wait([ended, leaving.told], count=1)
    if not ended.ready():
        ended.join(leaving.left_s(REPORT_S))
    if not ended.ready():
        process.kill()
    printed, complained = ended.get()
    if process.returncode >= 0 or (directory / HTML_NAME).is_file():
        log.info("report made:\n%s", printed.strip() or complained.strip())
    else:
        log.info("no report yet: aftershock report %s", directory)
