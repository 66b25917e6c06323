"""A record as a download: what of it is whole at the moment when it is asked for."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import gevent
from flask import Response

CHUNK_BYTES = 64 * 1024
MEDIA_TYPE = "application/x-ndjson"


def record_download(record: Path) -> Response:
    """The whole lines that are there now, and no byte more, while others may be added.

    Raises `OSError` where there is no such file.
    """
    file = record.open("rb")
    try:
        length = whole_lines(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    answer = Response(_first(file, length), mimetype=MEDIA_TYPE)
    answer.content_length = length
    answer.call_on_close(file.close)
    return answer


def whole_lines(file: BinaryIO) -> int:
    """How many bytes of the file there are up to the end of its last whole line."""
    end = os.fstat(file.fileno()).st_size
    while end > 0:
        start = max(0, end - CHUNK_BYTES)
        file.seek(start)
        place = file.read(end - start).rfind(b"\n")
        if place >= 0:
            return start + place + 1
        end = start
    return 0


def _first(file: BinaryIO, length: int) -> Iterator[bytes]:
    """Ends early where the file has become shorter: the length that was told then shows it."""
    left = length
    while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk
        gevent.sleep(0)  # however fast the reader is, attempts that are due leave between chunks
