"""A record's ticks or requests as CSV: made by a process of its own while it is being sent."""

from collections.abc import Iterator
from pathlib import Path

from flask import Response
from gevent import subprocess

from loadtests.control_room.recorded.niced import niced

CHUNK_BYTES = 64 * 1024


class TableError(Exception):
    """The table breaks off: so must the answer, or half of it would look like all."""


def table(record: Path, name: str) -> Response:
    """``ticks.csv`` or ``requests.csv`` of this record."""
    answer = Response(_lines(record, name.removesuffix(".csv")), mimetype="text/csv")
    saved = f"{record.parent.name}-{name}"
    answer.headers["Content-Disposition"] = f'attachment; filename="{saved}"'
    return answer


def _lines(record: Path, name: str) -> Iterator[bytes]:
    with subprocess.Popen(
        niced("reports.spreadsheet", name, record), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            while chunk := process.stdout.read(CHUNK_BYTES):
                yield chunk
            if process.wait() != 0:
                raise TableError(process.stderr.read().decode(errors="replace").strip()[-500:])
        finally:
            if process.poll() is None:  # the reader has gone
                process.kill()
