"""A record's ticks or requests as CSV, one row a line of it, however long it is.

`python -m reports.rendering.spreadsheet ticks runs/<id>/record.ndjson` writes to standard output.
Only one line of the record is in memory at a time. Standard library only.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

from reports.record import bucket_upper, quantile
from reports.rendering import columns
from reports.rendering.columns import unformulated

MAX_LINE_BYTES = 1_000_000
RETRIES = 3
"""Retries that have a column of their own; those after them share one."""

Cell = str | int | float
Values = Mapping[str, object]

TICK_COLUMNS = (
    columns.TICK,
    columns.TIME,
    columns.LANE,
    columns.CAPACITY,
    columns.OFFERED,
    columns.OFFERED_FIRST,
    *(columns.offered_retry(number) for number in range(1, RETRIES + 1)),
    "offered_later_retry_attempts",
    columns.OFFERED_UNKNOWN,
    *columns.summed(),
    columns.QUEUE,
    columns.IN_FLIGHT,
)
REQUEST_COLUMNS = (
    columns.TIME,
    columns.LANE,
    columns.ISSUED,
    columns.SUCCEEDED,
    columns.FAILED,
    "failed_by_reason_requests",
    columns.ATTEMPTS,
    *(name for name, _ in columns.QUANTILES),
)


class RowError(ValueError):
    """A line of the record that cannot be a row; the message names it."""


def tick_row(values: Values) -> list[Cell]:
    """What the target metered of one lane in one tick; times in seconds of the run."""
    offered = _counts(values, "offered")
    known = offered[1:]
    return [
        _number(values, "seq"),
        _number(values, "t_s"),
        unformulated(str(values["lane"])),
        _number(values, "capacity_per_s"),
        sum(offered),
        *(known[place] if place < len(known) else 0 for place in range(RETRIES + 1)),
        sum(known[RETRIES + 1 :]),
        sum(offered[:1]),
        *(sum(_counts(values, name)) for name in columns.SUMS),
        _number(values, "queue"),
        _number(values, "in_flight"),
    ]


def requests_row(values: Values) -> list[Cell]:
    """What became of requests due in one bin of one lane. Rows of the same bin add up."""
    failed = _map(values, "failed")
    latency = {int(bucket): count for bucket, count in _map(values, "latency").items()}
    return [
        _number(values, "t_s"),
        unformulated(str(values["lane"])),
        _number(values, "issued"),
        _number(values, "succeeded"),
        sum(failed.values()),
        unformulated("; ".join(f"{reason}: {count}" for reason, count in sorted(failed.items()))),
        _number(values, "attempts"),
        *(_quantile_ms(latency, share) for _, share in columns.QUANTILES),
    ]


TABLES: Mapping[str, tuple[str, tuple[str, ...], Callable[[Values], list[Cell]]]] = {
    "ticks": ("tick", TICK_COLUMNS, tick_row),
    "requests": ("requests", REQUEST_COLUMNS, requests_row),
}
"""By name: the kind of the lines, the header, and what a line becomes."""


def rows(table: str, record: BinaryIO) -> Iterator[list[Cell]]:
    """The rows of one of `TABLES`, without the header. Raises `RowError`.

    A last line that was cut off is left out.
    """
    kind, _, row = TABLES[table]
    marked = b'"kind":"%s"' % kind.encode()
    other = b'"kind":"'
    for number, line in enumerate(_lines(record), 1):
        head = line[:40]
        if other in head and marked not in head:  # of another kind: it need not be read
            continue
        try:
            values = json.loads(line)
            if values["kind"] == kind:
                yield row(values)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise RowError(f"line {number} of the record cannot be read") from None


def write(table: str, record: BinaryIO, to: TextIO) -> None:
    """Write the table with its header. Raises `RowError`."""
    writer = csv.writer(to)
    writer.writerow(TABLES[table][1])
    writer.writerows(rows(table, record))


def _lines(record: BinaryIO) -> Iterator[bytes]:
    number = 0
    while line := record.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise RowError(f"line {number} is longer than {MAX_LINE_BYTES:,} bytes")
        if line.endswith(b"\n"):
            yield line


def _number(values: Values, name: str) -> int | float:
    value = values.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(name)
    return value


def _counts(values: Values, name: str) -> list[int]:
    found = values.get(name, [])
    if not isinstance(found, list) or not all(type(count) is int for count in found):
        raise TypeError(name)
    return found


def _map(values: Values, name: str) -> dict[str, int]:
    found = values.get(name, {})
    if not isinstance(found, dict) or not all(type(count) is int for count in found.values()):
        raise TypeError(name)
    return found


def _quantile_ms(latency: Mapping[int, int], share: float) -> Cell:
    """The upper end of the bucket that holds this quantile; empty without a request."""
    bucket = quantile(latency, share)
    return "" if bucket is None else round(bucket_upper(bucket), 1)


def main(arguments: Sequence[str]) -> str | None:
    """What is wrong, or None when the table has been written to standard output."""
    if len(arguments) != 2:
        return f"expected {' or '.join(TABLES)}, and the path of a record"
    table, path = arguments
    if table not in TABLES:
        return f"{table[:32]!r} is not one of {', '.join(TABLES)}"
    try:
        sys.stdout.reconfigure(newline="", encoding="utf-8")  # type: ignore[union-attr]  # a TextIOWrapper
        with Path(path).open("rb") as record:
            write(table, record, sys.stdout)
    except BrokenPipeError:
        return None
    except (OSError, ValueError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
