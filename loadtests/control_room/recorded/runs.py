"""The runs in a folder."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from loadtests.control_room.recorded.peek import Head, read_end, read_head, read_verdict
from reports.record import HTML_NAME, JSON_NAME, RECORD_NAME
from reports.rendering import spreadsheet

MOST = 200
"""The newest are listed."""
QUIET_S = 10.0
"""A record that was not written to for so long, and has no end, was cut off."""
REPORTS = (HTML_NAME, JSON_NAME)
TABLES = tuple(f"{name}.csv" for name in spreadsheet.TABLES)
"""Made of the record when they are asked for."""
FILES = (*REPORTS, RECORD_NAME, *TABLES)

_RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the list shows it. `verdict` is None while there is no report.

    `reason` is the first why the result is not valid.
    """

    id: str
    began_epoch_s: float | None
    state: str
    lanes: tuple[str, ...]
    files: tuple[str, ...]
    verdict: str | None
    reason: str | None

    @property
    def began(self) -> str | None:
        """When it began, in UTC: ``2026-11-30 10:15``."""
        if self.began_epoch_s is None:
            return None
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.began_epoch_s))

    @property
    def told(self) -> tuple[str, ...]:
        """How it ended, unless as it should, and what its report says of it."""
        ended = () if self.state == "finished" else (self.state,)
        if self.verdict is None:
            return ended if self.state == "running" else (*ended, "no report yet")
        return (*ended, self.verdict)


def is_run_id(text: str) -> bool:
    """Whether `loadtests.rundir` gives such names."""
    return _RUN_ID.fullmatch(text) is not None


def runs_with(runs_dir: Path, name: str) -> list[str]:
    """The ids of the runs that have this file, the newest first."""
    found = (path.parent.name for path in runs_dir.glob(f"*/{name}"))
    return sorted(filter(is_run_id, found), key=_in_time, reverse=True)


def newest(runs_dir: Path) -> str | None:
    """The id of the run that began last."""
    return next(iter(runs_with(runs_dir, RECORD_NAME)), None)


class Runs:
    """The list of a folder. What cannot change any more is read once."""

    def __init__(self, runs_dir: Path) -> None:
        """Nothing is read yet."""
        self._runs_dir = runs_dir
        self._headers: dict[str, Head] = {}
        self._ends: dict[str, str] = {}

    def list(self, going: str | None, now_epoch_s: float) -> tuple[Run, ...]:
        """The newest runs, at most `MOST`; `going` is the id of the one that this process runs."""
        ids = runs_with(self._runs_dir, RECORD_NAME)[:MOST]
        self._headers = {known: self._headers[known] for known in ids if known in self._headers}
        self._ends = {known: self._ends[known] for known in ids if known in self._ends}
        return tuple(self._run(run_id, run_id == going, now_epoch_s) for run_id in ids)

    def is_over(self, run_id: str, now_epoch_s: float) -> bool:
        """Whether there is such a run and no process is at it; this process' own is not known."""
        there = (self._runs_dir / run_id / RECORD_NAME).is_file()
        return there and self._state(run_id, now_epoch_s) != "running"

    def _run(self, run_id: str, going: bool, now_epoch_s: float) -> Run:
        folder = self._runs_dir / run_id
        header = self._header(run_id)
        there = tuple(name for name in REPORTS if (folder / name).is_file())
        return Run(
            run_id,
            header.began_epoch_s,
            self._shown(run_id, header, going, now_epoch_s),
            header.lanes,
            (*there, RECORD_NAME, *TABLES),
            *read_verdict(folder / JSON_NAME),
        )

    def _shown(self, run_id: str, header: Head, going: bool, now_epoch_s: float) -> str:
        """The state; of a record whose first line is no header nothing else can be told."""
        if going:
            return "running"
        return self._state(run_id, now_epoch_s) if header.readable else "unreadable"

    def _header(self, run_id: str) -> Head:
        known = self._headers.get(run_id)
        if known is not None:
            return known
        header = read_head(self._runs_dir / run_id / RECORD_NAME)
        if header.began_epoch_s is not None:
            self._headers[run_id] = header
        return header

    def _state(self, run_id: str, now_epoch_s: float) -> str:
        known = self._ends.get(run_id)
        if known is not None:
            return known
        record = self._runs_dir / run_id / RECORD_NAME
        end = read_end(record)
        if end is not None:
            self._ends[run_id] = end
            return end
        try:
            quiet_s = now_epoch_s - record.stat().st_mtime
        except OSError:
            return "cut off"
        return "cut off" if quiet_s > QUIET_S else "running"


def _in_time(run_id: str) -> tuple[str, int]:
    """Of runs that began in the same second the higher number is the newer one."""
    return run_id[:15], int(run_id[16:] or 1)
