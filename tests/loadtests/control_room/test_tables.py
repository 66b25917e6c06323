"""Tables of a record, made by a process of its own while they are sent."""

from pathlib import Path

import psutil
import pytest

from loadtests.control_room.recorded.tables import TableError, table
from reports.record import Tick, encode

TICK = encode(Tick(1, 0.0, "a", 1.0, [0, 1], [0, 1], [], [0, 1], [])) + "\n"


def children() -> set[int]:
    """Processes of this one that run."""
    return {child.pid for child in psutil.Process().children() if child.status() != "zombie"}


def test_a_table_is_named_after_its_run(tmp_path: Path) -> None:
    run = tmp_path / "20261130-101500"
    run.mkdir()
    (run / "record.ndjson").write_text(TICK * 3)
    answer = table(run / "record.ndjson", "ticks.csv")
    assert answer.mimetype == "text/csv"
    said = answer.headers["Content-Disposition"]
    assert said == 'attachment; filename="20261130-101500-ticks.csv"'
    assert answer.get_data(as_text=True).count("\r\n") == 4


def test_a_table_that_breaks_off_does_not_look_whole(tmp_path: Path) -> None:
    """The connection is then closed before the end that it was to have."""
    record = tmp_path / "record.ndjson"
    record.write_text(TICK + "nonsense\n")
    chunks = table(record, "ticks.csv").iter_encoded()
    assert next(chunks).startswith(b"tick,")
    with pytest.raises(TableError, match="line 2 of the record cannot be read"):
        next(chunks)


def test_a_reader_who_leaves_leaves_no_process(tmp_path: Path) -> None:
    record = tmp_path / "record.ndjson"
    record.write_text(TICK * 200_000)
    before = children()
    answer = table(record, "ticks.csv")
    chunks = answer.iter_encoded()
    next(chunks)
    assert len(children() - before) == 1
    answer.close()
    chunks.close()  # type: ignore[attr-defined]  # a generator
    assert children() == before
