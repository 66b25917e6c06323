"""A record's ticks and requests as CSV."""

import csv
import io
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from reports.record import Header, Lane, Requests, Tick, encode
from reports.rendering.columns import unformulated
from reports.rendering.spreadsheet import (
    REQUEST_COLUMNS,
    TICK_COLUMNS,
    RowError,
    main,
    rows,
    write,
)

HEADER = Header("x", "x", "live", 0.0, 0.1, 0, (Lane("a", "a"),), {}, {})
TICK = Tick(
    117, 9.7, "a", 20.0, [1, 9, 4, 2, 1, 1, 3], [0, 2], [0, 7, 4], [0, 2], [0, 1],
    5, [0, 1], [0, 2], [0, 3], 6,
)  # fmt: skip
REQUESTS = Requests(9.7, "a", 10, 2, Counter({"budget": 3, "deadline": 5}), 34, Counter({231: 2}))


def table(name: str, *lines: object, end: str = "\n") -> list[dict[str, str]]:
    """The table of a record with these lines, by column."""
    record = io.BytesIO(("\n".join(map(_text, lines)) + end).encode())
    out = io.StringIO()
    write(name, record, out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def _text(line: object) -> str:
    return line if isinstance(line, str) else encode(line)  # type: ignore[arg-type]  # a line


def test_a_tick_is_a_row() -> None:
    """Attempts by number in columns of their own, all of them together in another."""
    [row] = table("ticks", HEADER, TICK, REQUESTS)
    assert tuple(row) == TICK_COLUMNS
    assert row == {
        "tick": "117", "time_s": "9.7", "lane": "a", "capacity_attempts_per_s": "20.0",
        "offered_attempts": "21", "offered_first_attempts": "9",
        "offered_retry_1_attempts": "4", "offered_retry_2_attempts": "2",
        "offered_retry_3_attempts": "1", "offered_later_retry_attempts": "4",
        "offered_unknown_number_attempts": "1",
        "admitted_attempts": "2", "turned_away_attempts": "11", "blocked_attempts": "1",
        "shed_attempts": "2", "failed_attempts": "3", "completed_attempts": "2",
        "abandoned_attempts": "1", "queue_attempts": "5", "in_flight_attempts": "6",
    }  # fmt: skip


def test_the_requests_of_a_bin_are_a_row() -> None:
    [row] = table("requests", HEADER, TICK, REQUESTS)
    assert tuple(row) == REQUEST_COLUMNS
    assert row == {
        "time_s": "9.7", "lane": "a", "issued_requests": "10", "succeeded_requests": "2",
        "failed_requests": "8", "failed_by_reason_requests": "budget: 3; deadline: 5",
        "attempts": "34", "latency_p50_ms": "97.0",
        "latency_p95_ms": "97.0", "latency_p99_ms": "97.0",
    }  # fmt: skip
    [empty] = table("requests", Requests(0.0, "a"))
    assert (empty["latency_p50_ms"], empty["failed_by_reason_requests"]) == ("", "")


@pytest.mark.parametrize("lane", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_spreadsheet_runs_a_name(lane: str) -> None:
    """Names come from whoever sends attempts."""
    for name, line in (("ticks", TICK), ("requests", REQUESTS)):
        [row] = table(name, encode(line).replace('"a"', _json(lane)))
        assert row["lane"] == f"'{lane}"


def _json(name: str) -> str:
    return '"' + name.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n") + '"'


def test_other_names_stay_as_they_are() -> None:
    for name in ("", "a", "full-jitter", "a=b", "ünï", 'say "x", y'):
        assert unformulated(name) == name
        [row] = table("ticks", Tick(1, 0.0, name, 1.0, [], [], [], [], []))
        assert row["lane"] == name


def test_a_line_that_is_cut_off_is_left_out() -> None:
    assert len(table("ticks", TICK, encode(TICK)[:-9], end="")) == 1
    assert len(table("ticks", TICK, TICK, end="")) == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"tick"}',
        '{"kind":"tick","seq":"1"',
        '{"kind":"tick","lane":"a","seq":"=1"}',
        '{"kind":"tick","lane":"a","offered":["=1"]}',
        '{"kind":"tick","lane":"a","offered":7}',
        "7",
        "[]",
        "nonsense",
    ],
)
def test_a_whole_line_that_cannot_be_read_is_an_error(line: str) -> None:
    """Half a table must not look like all of it."""
    with pytest.raises(RowError, match="line 2 of the record cannot be read"):
        table("ticks", TICK, line)


def test_a_record_that_somebody_formatted() -> None:
    assert len(table("ticks", '{ "kind": "tick", "lane": "a" }', '{ "kind": "end" }')) == 1


def test_a_line_too_long_is_an_error() -> None:
    with pytest.raises(RowError, match="line 1 is longer than"):
        table("ticks", "x" * 1_000_001)


def test_memory_does_not_grow_with_the_record() -> None:
    """One line at a time."""
    record = io.BytesIO((encode(TICK) + "\n").encode() * 30_000)
    tracemalloc.start()
    try:
        count = sum(1 for _ in rows("ticks", record))
        assert count == 30_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_the_program(tmp_path: Path) -> None:
    """To standard output; what is wrong goes to the other one, with an exit code."""
    record = tmp_path / "record.ndjson"
    record.write_text(encode(HEADER) + "\n" + encode(TICK) + "\n")

    def run(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "reports.rendering.spreadsheet", *arguments]
        return subprocess.run(command, capture_output=True, timeout=60, check=False)

    done = run("ticks", str(record))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\r\n") == 2
    record.write_text("nonsense\n")
    done = run("ticks", str(record))
    assert (done.returncode, done.stderr) == (1, b"line 1 of the record cannot be read\n")


def test_what_the_program_does_not_do(tmp_path: Path) -> None:
    assert main([]) == "expected ticks or requests, and the path of a record"
    assert main(["x", "y"]) == "'x' is not one of ticks, requests"
    assert "No such file" in (main(["ticks", str(tmp_path / "none")]) or "")
