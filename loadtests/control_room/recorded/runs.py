"""The runs in a folder, from the first and last bytes of their files: none is read whole."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from reports import spreadsheet
from reports.record import HTML_NAME, JSON_NAME, RECORD_NAME

MOST = 200
"""The newest are listed."""
MOST_HEADER_BYTES = 1_000_000
TAIL_BYTES = 8_192
QUIET_S = 10.0
"""A record that was not written to for so long, and has no end, was cut off."""
REPORTS = (HTML_NAME, JSON_NAME)
TABLES = tuple(f"{name}.csv" for name in spreadsheet.TABLES)
"""Made of the record when they are asked for."""
FILES = (*REPORTS, RECORD_NAME, *TABLES)

_RUN_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]{1,3})?")
_VALID = re.compile(rb'\s*\{\s*"schema":\s*\d+,\s*"valid":\s*(true|false)')
"""How `reports.to_json` begins."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the list shows it. `verdict` is None while there is no report."""

    id: str
    began_epoch_s: float | None
    state: str
    lanes: tuple[str, ...]
    files: tuple[str, ...]
    verdict: str | None


@dataclass(frozen=True, slots=True)
class _Header:
    began_epoch_s: float | None
    lanes: tuple[str, ...]


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
        self._headers: dict[str, _Header] = {}
        self._ends: dict[str, str] = {}

    def list(self, going: str | None, now_epoch_s: float) -> tuple[Run, ...]:
        """The newest runs, at most `MOST`; `going` is the id of the one that this process runs."""
        ids = runs_with(self._runs_dir, RECORD_NAME)[:MOST]
        self._headers = {known: self._headers[known] for known in ids if known in self._headers}
        self._ends = {known: self._ends[known] for known in ids if known in self._ends}
        return tuple(self._run(run_id, run_id == going, now_epoch_s) for run_id in ids)

    def _run(self, run_id: str, going: bool, now_epoch_s: float) -> Run:
        folder = self._runs_dir / run_id
        header = self._header(run_id)
        there = tuple(name for name in REPORTS if (folder / name).is_file())
        return Run(
            run_id,
            header.began_epoch_s,
            "running" if going else self._state(run_id, now_epoch_s),
            header.lanes,
            (*there, RECORD_NAME, *TABLES),
            _verdict(folder / JSON_NAME),
        )

    def _header(self, run_id: str) -> _Header:
        known = self._headers.get(run_id)
        if known is not None:
            return known
        header = _read_header(self._runs_dir / run_id / RECORD_NAME)
        if header.began_epoch_s is not None:
            self._headers[run_id] = header
        return header

    def _state(self, run_id: str, now_epoch_s: float) -> str:
        known = self._ends.get(run_id)
        if known is not None:
            return known
        record = self._runs_dir / run_id / RECORD_NAME
        end = _read_end(record)
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


def _read_header(record: Path) -> _Header:
    try:
        with record.open("rb") as file:
            values = _object(file.readline(MOST_HEADER_BYTES))
    except OSError:
        values = {}
    lanes = values.get("lanes")
    listed = lanes if isinstance(lanes, list) else []
    names = (lane.get("lane") for lane in listed if isinstance(lane, dict))
    began = values.get("anchor_epoch_s")
    return _Header(
        float(began) if isinstance(began, int | float) else None,
        tuple(name for name in names if isinstance(name, str)),
    )


def _read_end(record: Path) -> str | None:
    """How the run ended, by the last line of its record; None: that is not an end."""
    try:
        with record.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
            tail = file.read(TAIL_BYTES)
    except OSError:
        return None
    values = _object(tail.rstrip(b"\n").rpartition(b"\n")[2])
    if values.get("kind") != "end":
        return None
    return "finished" if values.get("reason") == "finished" else "interrupted"


def _verdict(report: Path) -> str | None:
    try:
        with report.open("rb") as file:
            found = _VALID.match(file.read(256))
    except OSError:
        return None
    if found is None:
        return None
    return "valid" if found[1] == b"true" else "not valid"


def _object(line: bytes) -> dict[str, object]:
    """The JSON object in a line; empty where it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
