"""The report of the run that goes on: made of the record so far, beside it nothing is written."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from loadtests.control_room.recorded.making import NoReportError, make_report
from loadtests.control_room.recorded.niced import BusyError
from reports.record import HTML_NAME

KEPT_S = 3.0
"""A report this young is shown again."""
MOST_WAITING = 8
"""Who waits holds a connection."""


@dataclass(frozen=True, slots=True)
class _Made:
    run: Path
    page: bytes | None
    problem: str
    at_s: float


class SoFar:
    """Makes one report at a time; who asks meanwhile waits for it and gets what comes of it."""

    def __init__(
        self,
        make: Callable[[Path, Path], str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`make` writes the report of a run's folder into another, and says what went wrong."""
        self._make = make or make_so_far
        self._clock = clock
        self._lock = threading.Lock()
        self.waiting = 0
        """As many have asked and are not answered yet."""
        self._times = 0
        self._made: _Made | None = None

    def page(self, run: Path) -> bytes:
        """The report of the run in this folder. Raises `NoReportError`, `BusyError`."""
        if self.waiting >= MOST_WAITING:
            raise BusyError("a report is being made, and enough wait for it: ask again soon")
        self.waiting += 1
        times = self._times
        try:
            with self._lock:
                made = self._made
                if made is None or made.run != run or not self._is_new(made, times):
                    made = self._made = self._new(run)
                    self._times += 1
        finally:
            self.waiting -= 1
        if made.page is None:
            raise NoReportError(made.problem)
        return made.page

    def _is_new(self, made: _Made, times: int) -> bool:
        """Whether it was made while who asked has waited, or is a report that is young."""
        young = made.page is not None and self._clock() - made.at_s <= KEPT_S
        return young or self._times != times

    def _new(self, run: Path) -> _Made:
        with TemporaryDirectory(prefix="aftershock-so-far-") as folder:
            try:
                problem = self._make(run, Path(folder))
            except NoReportError as error:
                return _Made(run, None, str(error), self._clock())
            page = Path(folder) / HTML_NAME
            if page.is_file():
                return _Made(run, page.read_bytes(), "", self._clock())
        problem = f"nothing to report yet: {problem or 'no report was made'}"
        return _Made(run, None, problem, self._clock())


def make_so_far(run: Path, folder: Path) -> str:
    """As `make_report`, of a run that goes on: what is not there may come yet."""
    return make_report(run, folder, "--so-far")
