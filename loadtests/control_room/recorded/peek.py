"""What the first and last bytes of a run's files say of it: none is read whole."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

MOST_HEADER_BYTES = 1_000_000
TAIL_BYTES = 8_192
LATEST_EPOCH_S = 253_402_300_799.0
"""The end of the year 9999: no run begins later, and nothing can write such a time."""
HEAD_BYTES = 16_384
MOST_REASON = 300
"""As many characters of why a result is not valid are told."""

_VALID = re.compile(r'\s*\{\s*"schema":\s*\d+,\s*"valid":\s*(true|false)')
"""How `reports.rendering.to_json` begins."""
_BECAUSE = re.compile(r'\s"invalid_because":\s*\[\s*')


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a record: when the run began, and its lanes."""

    began_epoch_s: float | None
    lanes: tuple[str, ...]
    readable: bool
    """It may be not whole yet: also then."""


def read_head(record: Path) -> Head:
    """The head of this record."""
    try:
        with record.open("rb") as file:
            line = file.readline(MOST_HEADER_BYTES)
    except OSError:
        line = b""
    values = _object(line)
    lanes, began_epoch_s = values.get("lanes"), _time(values.get("anchor_epoch_s"))
    listed = lanes if isinstance(lanes, list) else []
    names = (lane.get("lane") for lane in listed if isinstance(lane, dict))
    is_whole = line.endswith(b"\n") or len(line) == MOST_HEADER_BYTES
    return Head(
        began_epoch_s,
        tuple(name for name in names if isinstance(name, str)),
        readable=not is_whole or (began_epoch_s is not None and isinstance(lanes, list)),
    )


def _time(value: object) -> float | None:
    """A time that can be shown; None: it is none."""
    if isinstance(value, int | float) and 0 <= value <= LATEST_EPOCH_S:
        return float(value)
    return None


def read_end(record: Path) -> str | None:
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


def read_verdict(report: Path) -> tuple[str | None, str | None]:
    """The verdict, and the first reason of one that is not valid."""
    try:
        with report.open("rb") as file:
            head = file.read(HEAD_BYTES).decode(errors="replace")
    except OSError:
        return None, None
    found = _VALID.match(head)
    if found is None:
        return None, None
    return ("valid", None) if found[1] == "true" else ("not valid", _reason(head))


def _reason(head: str) -> str | None:
    """The first reason, cut where it is long; None: there is no such text."""
    because = _BECAUSE.search(head)
    if because is None:
        return None
    try:
        text, _ = json.JSONDecoder().raw_decode(head, because.end())
    except (ValueError, RecursionError):
        return None
    if not isinstance(text, str):
        return None
    return text if len(text) <= MOST_REASON else f"{text[: MOST_REASON - 1]}…"


def _object(line: bytes) -> dict[str, object]:
    """The JSON object in a line; empty where it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
