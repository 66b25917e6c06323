"""A record that is sent while it grows."""

from pathlib import Path

import pytest

from loadtests.control_room.recorded.downloads import CHUNK_BYTES, record_download, whole_lines

LINE = b'{"kind":"tick"}\n'


@pytest.mark.parametrize(
    ("there", "whole"),
    [
        (b"", 0),
        (b"half", 0),
        (LINE, len(LINE)),
        (LINE * 3 + b"half", 3 * len(LINE)),
        (LINE + b"x" * 3 * CHUNK_BYTES, len(LINE)),
        (b"x" * 2 * CHUNK_BYTES, 0),
        (b"x" * (CHUNK_BYTES - 1) + b"\n" + b"y" * CHUNK_BYTES, CHUNK_BYTES),
    ],
)
def test_whole_lines(tmp_path: Path, there: bytes, whole: int) -> None:
    """However long the half one at the end is."""
    record = tmp_path / "record.ndjson"
    record.write_bytes(there)
    with record.open("rb") as file:
        assert whole_lines(file) == whole
    with record_download(record) as answer:
        assert answer.content_length == whole
        assert b"".join(answer.iter_encoded()) == there[:whole]


def test_what_is_added_meanwhile_is_not_sent(tmp_path: Path) -> None:
    """The length is told before: another byte would be taken for the next answer."""
    record = tmp_path / "record.ndjson"
    record.write_bytes(LINE * 9_000 + b"half")
    with record_download(record) as answer:
        chunks = answer.iter_encoded()
        found = next(chunks)
        with record.open("ab") as file:
            file.write(b" and the rest\n" + LINE * 9_000)
        found += b"".join(chunks)
        assert found == LINE * 9_000
        assert answer.content_length == len(found)


def test_it_is_said_what_it_is(tmp_path: Path) -> None:
    """Not by a cache: it may be longer the next time."""
    record = tmp_path / "record.ndjson"
    record.write_bytes(LINE)
    with record_download(record) as answer:
        assert answer.mimetype == "application/x-ndjson"
        assert "ETag" not in answer.headers
        assert "Cache-Control" not in answer.headers  # so that what is ours for all is said
