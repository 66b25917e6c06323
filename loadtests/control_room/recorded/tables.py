"""A record's ticks or requests as CSV: made by a process of its own while it is being sent."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flask import Response
from gevent import subprocess

from loadtests.control_room.recorded.niced import BusyError, niced

CHUNK_BYTES = 64 * 1024
STALLED_S = 30.0
"""Whose reader takes nothing for so long gives way to the next who asks."""


class TableError(Exception):
    """The table breaks off: so must the answer, or half of it would look like all."""


@dataclass(slots=True)
class _Sending:
    """A table on its way; `waits_since_s` is when its reader was last given something."""

    waits_since_s: float | None
    process: "subprocess.Popen[bytes] | None" = None


class Tables:
    """Sends one table at a time: each takes a process, on a machine that must send on time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """None is being sent."""
        self._clock = clock
        self._now: _Sending | None = None

    def send(self, record: Path, name: str) -> Response:
        """``ticks.csv`` or ``requests.csv`` of this record. Raises `BusyError`."""
        before = self._now
        if before is not None:
            if not self._is_stalled(before):
                raise BusyError("another table is being sent: ask again when it is there")
            _stop(before)
        sending = self._now = _Sending(self._clock())
        lines = self._lines(sending, record, name.removesuffix(".csv"))
        next(lines)  # from here on it ends as it must, also if nobody reads on
        answer = Response(lines, mimetype="text/csv")
        saved = f"{record.parent.name}-{name}"
        answer.headers["Content-Disposition"] = f'attachment; filename="{saved}"'
        return answer

    def _is_stalled(self, sending: _Sending) -> bool:
        since_s = sending.waits_since_s
        return since_s is not None and self._clock() - since_s > STALLED_S

    def _lines(self, sending: _Sending, record: Path, name: str) -> Iterator[bytes]:
        try:
            yield b""
            if self._now is not sending:
                raise TableError("another has taken its turn")
            command = niced("reports.rendering.spreadsheet", name, record)
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as process:
                sending.process = process
                try:
                    yield from self._chunks(sending, process)
                finally:
                    _stop(sending)  # the reader may have gone
        finally:
            if self._now is sending:
                self._now = None

    def _chunks(self, sending: _Sending, process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
        sending.waits_since_s = None
        while chunk := process.stdout.read(CHUNK_BYTES):
            sending.waits_since_s = self._clock()
            yield chunk
            sending.waits_since_s = None
        if process.wait() != 0:
            raise TableError(process.stderr.read().decode(errors="replace").strip()[-500:])


def _stop(sending: _Sending) -> None:
    if sending.process is not None and sending.process.poll() is None:
        sending.process.kill()
