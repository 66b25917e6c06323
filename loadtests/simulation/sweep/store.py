"""The file of a sweep: what is swept, then a line for each cell that is done.

It is only ever added to, a line at a time, so whatever interrupts a sweep costs at most the cells
that were being played.
"""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from loadtests.imports import printable
from loadtests.scenario import ScenarioError
from loadtests.simulation.sweep.cells import Played
from loadtests.simulation.sweep.plan import Sweep

CELLS_NAME = "cells.ndjson"


class Store:
    """The cells of a sweep that are done, in a folder that no other sweep can use meanwhile."""

    def __init__(self, folder: Path, sweep: Sweep) -> None:
        """Read what is there. Raises `ScenarioError` for what is another sweep's or in use."""
        self.path = folder / CELLS_NAME
        self._sweep = sweep
        self.played: dict[int, Played] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise ScenarioError(f"{folder}: {error.strerror or error}") from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, number: int, played: Played) -> None:
        """A cell or probe is done."""
        self.played[number] = played
        place = self._sweep.place_of(number)
        kind = "probe" if number >= self._sweep.cells else "cell"
        line = {
            "kind": kind,
            "number": number,
            "at": self._sweep.settings_at(place),
            "policy": self._sweep.lanes[place[-1]],
            "settled_s": played.settled_s,
            "failed_share": played.failed_share,
            "unanswered_share": played.unanswered_share,
            "invalid": played.invalid,
            "invalid_because": played.because,
        }
        self._write(line)

    def _write(self, line: Mapping[str, object]) -> None:
        data = json.dumps(line).encode() + b"\n"
        while data:
            data = data[self._file.write(data) :]

    def _lock(self) -> None:
        """Until the file is closed or the process ends, however it does."""
        import fcntl  # noqa: PLC0415 - not on every system, and no other verb needs it

        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ScenarioError(
                f"{self.path.parent}: another sweep is writing to it: wait for it, or name "
                "another folder with --out"
            ) from None

    def _read(self) -> None:
        self._file.seek(0)
        *lines, cut = self._file.read().split(b"\n")
        if _is_whole(cut):
            lines.append(cut)
            self._file.write(b"\n")
        elif cut:
            self._drop(cut, bool(lines))
        if not lines:
            self._write(self._sweep.told())
            return
        self._check(lines[0])
        for number, line in enumerate(lines[1:], 2):
            self._take(number, line)

    def _drop(self, cut: bytes, others: bool) -> None:
        """The beginning of a line that was never finished."""
        first = json.dumps(self._sweep.told()).encode()
        if not others and not first.startswith(cut):
            raise self._not_ours()
        os.truncate(self._file.fileno(), self._file.tell() - len(cut))

    def _check(self, line: bytes) -> None:
        try:
            there = json.loads(line)
        except ValueError:
            raise self._not_ours() from None
        if not isinstance(there, dict) or there.get("kind") != "sweep":
            raise self._not_ours()
        difference = difference_of(there, self._sweep.told())
        if difference:
            raise ScenarioError(
                f"{self.path.parent} is another sweep's: {difference}: name another folder "
                "with --out"
            )

    def _take(self, number: int, line: bytes) -> None:
        try:
            place, played = _cell(json.loads(line))
        except (ValueError, KeyError, TypeError, OverflowError):
            place, played = -1, Played((), ())
        if not 0 <= place < self._sweep.size or not _can_be(played, self._sweep.runs):
            raise ScenarioError(
                f"{self.path}: line {number} is no cell of this sweep: take it out, or name "
                "another folder with --out"
            )
        self.played[place] = played

    def _not_ours(self) -> ScenarioError:
        return ScenarioError(f"{self.path} is no file of a sweep: name another folder with --out")


def _cell(read: Mapping[str, Any]) -> tuple[int, Played]:
    """Number and outcome in the line of a cell. Raises `ValueError`, `KeyError`, `TypeError`."""
    settled_s = tuple(None if time is None else float(time) for time in read["settled_s"])
    failed_share = tuple(map(float, read["failed_share"]))
    unanswered_share = tuple(map(float, read["unanswered_share"]))
    invalid, because = int(read["invalid"]), str(read["invalid_because"])
    return int(read["number"]), Played(settled_s, failed_share, invalid, because, unanswered_share)


def _can_be(played: Played, runs: int) -> bool:
    """Whether so many runs can have come to this."""
    shares = (*played.failed_share, *played.unanswered_share)
    return (
        len(played.settled_s) == len(played.failed_share) == runs
        and len(played.unanswered_share) in {0, runs}
        and all(0 <= share <= 1 for share in shares)
        and all(0 <= time < math.inf for time in played.settled_s if time is not None)
        and 0 <= played.invalid <= runs
    )


def _is_whole(line: bytes) -> bool:
    """A line of ours is a table in JSON: no beginning of one can be read."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def difference_of(there: object, here: object, where: str = "") -> str | None:
    """The first thing in which two sweeps differ, in words; None: nothing."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in {**here, **there}:
            found = difference_of(there.get(key), here.get(key), f"{where}.{key}" if where else key)
            if found:
                return found
        return None
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for number, (one, other) in enumerate(zip(there, here, strict=True)):
            if found := difference_of(one, other, f"{where}.{number}"):
                return found
        return None
    if there == here:
        return None
    return f"{printable(where)} is {_shown(there)} there and {_shown(here)} here"


def _shown(value: object) -> str:
    text = printable(json.dumps(value))
    return "not given" if value is None else text if len(text) <= 60 else f"{text[:57]}…"
