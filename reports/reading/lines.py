"""From the bytes of a record to decoded lines, one kind at a time.

What may be cut off is the end: whatever follows the last newline is dropped and said. A line that
is whole and cannot be read is an error that names it, because nothing that was written is guessed.
"""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl
from pydantic import TypeAdapter, ValidationError

MAX_LINE_BYTES = 1_000_000
FREQUENT = ("tick", "layer", "requests")
"""Kinds of which an hour of run has hundreds of thousands of lines."""
_BEGIN = b'{"kind":"'
_FREQUENT = {kind.encode(): kind for kind in FREQUENT}
T = TypeVar("T")


class RecordError(ValueError):
    """A record that cannot be reported on; the message is one line, meant for a person."""


@dataclass(frozen=True)
class Lines:
    """The whole lines of a record, grouped by kind, each with its number in the file."""

    by_kind: Mapping[str, Sequence[bytes]]
    numbers: Mapping[str, Sequence[int]]
    dropped_bytes: int

    def rare(self) -> "Lines":
        """Without the frequent lines: these are large, and of no use once they are decoded."""
        kept = {kind: lines for kind, lines in self.by_kind.items() if kind not in FREQUENT}
        return Lines(kept, self.numbers, self.dropped_bytes)


def split_lines(data: bytes) -> Lines:
    """Group the whole lines of `data` by their `kind`; the partial last one is dropped."""
    *whole, partial = data.split(b"\n")
    kept = [(n, line) for n, line in enumerate(whole, 1) if line.strip()]
    for number, line in kept:
        if len(line) > MAX_LINE_BYTES:
            raise RecordError(f"line {number} is longer than {MAX_LINE_BYTES:,} bytes")
    if not kept:
        raise RecordError("the record is empty: not one whole line was written")
    by_kind: dict[str, list[bytes]] = {}
    by_number: dict[str, list[int]] = {}
    for (number, line), kind in zip(kept, _kinds(kept), strict=True):
        by_kind.setdefault(kind, []).append(line)
        by_number.setdefault(kind, []).append(number)
    return Lines(by_kind, by_number, len(partial))


def _kinds(kept: Sequence[tuple[int, bytes]]) -> list[str]:
    """The kind of each line: of a frequent one as the writer begins it, of others by reading it."""
    found = [_begun(line) for _, line in kept]
    others = [place for place, kind in enumerate(found) if kind is None]
    if others:
        numbers = [kept[place][0] for place in others]
        read = decode([kept[place][1] for place in others], numbers, {"kind": pl.String})["kind"]
        for place, number, kind in zip(others, numbers, read, strict=True):
            if kind is None:
                raise RecordError(f"line {number} is not a line of a run record: it has no kind")
            found[place] = kind
    return [kind for kind in found if kind is not None]


def _begun(line: bytes) -> str | None:
    """The kind of a frequent line that begins as the writer's do; None of any other."""
    if not line.startswith(_BEGIN):
        return None
    return _FREQUENT.get(line[len(_BEGIN) : line.find(b'"', len(_BEGIN))])


def decode(
    lines: Sequence[bytes], numbers: Sequence[int], schema: Mapping[str, pl.DataType | type]
) -> pl.DataFrame:
    """Read `lines` strictly into the columns of `schema`; other fields are left out.

    A field of type `String` takes whatever is there, an object as its JSON text.
    """
    if not lines:
        return pl.DataFrame(schema=dict(schema))
    try:
        return _parse(lines, schema)
    except pl.exceptions.PolarsError:
        number, reason = _first_bad(lines, numbers, schema)
        raise RecordError(f"line {number} of the record cannot be read: {reason}") from None


def _parse(lines: Sequence[bytes], schema: Mapping[str, pl.DataType | type]) -> pl.DataFrame:
    """One row a line. Raises `PolarsError` where a line does not fit the schema."""
    frame = pl.read_ndjson(io.BytesIO(b"\n".join(lines)), schema=dict(schema))
    if frame.height != len(lines):
        raise pl.exceptions.ShapeError("a line holds more than one value")
    return frame


def _first_bad(
    lines: Sequence[bytes], numbers: Sequence[int], schema: Mapping[str, pl.DataType | type]
) -> tuple[int, str]:
    """Number of the first line that cannot be read, and why. Halves the search at every step."""
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            _parse(lines[low:middle], schema)
        except pl.exceptions.PolarsError:
            high = middle
        else:
            low = middle
    try:
        _parse(lines[low:high], schema)
    except pl.exceptions.PolarsError as error:
        what = " ".join(str(error).split("\n", 1)[0].split())[:120]
        return numbers[low], "it is not JSON" if "TapeError" in what else what
    return numbers[low], "it is not a line of JSON"


def decode_each(lines: Lines, kind: str, model: type[T]) -> list[T]:
    """The lines of a rare kind as objects of `model`, each checked field by field."""
    if kind not in lines.by_kind:
        return []
    adapter: TypeAdapter[T] = TypeAdapter(model)
    found: list[T] = []
    for number, line in zip(lines.numbers.get(kind, ()), lines.by_kind.get(kind, ()), strict=True):
        try:
            found.append(adapter.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RecordError(
                f"line {number} of the record ({kind}): {where}: {first['msg']}"[:300]
            ) from None
    return found


def counts_of(text: str | None, where: str) -> dict[str, int]:
    """A JSON map of counts: names to whole numbers that are not negative."""
    if text is None:
        return {}
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RecordError(f"{where} is not a map of counts")
    for count in found.values():
        if type(count) is not int or not 0 <= count < 2**53:
            raise RecordError(f"{where} holds {str(count)[:40]!r}, which is not a count")
    return found
