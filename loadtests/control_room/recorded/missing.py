"""Reports that are missing although their run is over: made when somebody asks for them.

A process that was told to quit had no time for them, or did not live long enough.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import gevent

from loadtests.control_room.recorded.making import NoReportError, make_report
from reports.record import HTML_NAME

log = logging.getLogger("aftershock")


class Missing:
    """Has one of them made at a time. Nobody waits: who asks again later learns what came of it."""

    def __init__(
        self,
        make: Callable[[Path, Path], str] = make_report,
        begin: Callable[[Callable[[], None]], object] = gevent.spawn,
    ) -> None:
        """`make` is as `make_report`; `begin` does what it is given while we go on."""
        self._make = make
        self._begin = begin
        self._making: Path | None = None
        self._failed: tuple[Path, str] | None = None

    def ask(self, run: Path) -> None:
        """Have the report of the run in this folder made, beside its record, unless one is.

        Raises `NoReportError` when that has failed since it was asked for. Then it is tried again
        by who asks once more.
        """
        if self._failed is not None and self._failed[0] == run:
            (_, why), self._failed = self._failed, None
            raise NoReportError(why)
        if self._making is None:
            self._making = run
            self._begin(lambda: self._try(run))

    def _try(self, run: Path) -> None:
        try:
            why = self._make(run, run)
            if not (run / HTML_NAME).is_file():
                self._failed = run, f"there is nothing to report: {why or 'no report was made'}"
        except NoReportError as error:
            self._failed = run, f"{error}; aftershock report runs/{run.name} has no such limit"
        except Exception as error:  # who asked must learn of any
            log.exception("the report of %s could not be made", run)
            self._failed = run, f"the report could not be made: {type(error).__name__}"
        finally:
            self._making = None
