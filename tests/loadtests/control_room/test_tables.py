"""Tables of a record, made by a process of its own while they are sent."""

from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from loadtests.control_room.recorded.niced import BusyError
from loadtests.control_room.recorded.tables import STALLED_S, TableError, Tables
from reports.record import Tick, encode

TICK = encode(Tick(1, 0.0, "a", 1.0, [0, 1], [0, 1], [], [0, 1], [])) + "\n"


def long_record(folder: Path) -> Path:
    """Of which a table is longer than what a pipe holds."""
    record = folder / "record.ndjson"
    record.write_text(TICK * 200_000)
    return record


def children() -> set[int]:
    """Processes of this one that run."""
    return {child.pid for child in psutil.Process().children() if child.status() != "zombie"}


def test_a_table_is_named_after_its_run(tmp_path: Path) -> None:
    run = tmp_path / "20261130-101500"
    run.mkdir()
    (run / "record.ndjson").write_text(TICK * 3)
    answer = Tables().send(run / "record.ndjson", "ticks.csv")
    assert answer.mimetype == "text/csv"
    said = answer.headers["Content-Disposition"]
    assert said == 'attachment; filename="20261130-101500-ticks.csv"'
    assert answer.get_data(as_text=True).count("\r\n") == 4


def test_a_table_that_breaks_off_does_not_look_whole(tmp_path: Path) -> None:
    """The connection is then closed before the end that it was to have."""
    record = tmp_path / "record.ndjson"
    record.write_text(TICK + "nonsense\n")
    chunks = Tables().send(record, "ticks.csv").iter_encoded()
    assert next(chunks).startswith(b"tick,")
    with pytest.raises(TableError, match="line 2 of the record cannot be read"):
        next(chunks)


def test_a_reader_who_leaves_leaves_no_process(tmp_path: Path) -> None:
    """And makes room for the next."""
    record, tables = long_record(tmp_path), Tables()
    before = children()
    answer = tables.send(record, "ticks.csv")
    next(answer.iter_encoded())
    assert len(children() - before) == 1
    answer.close()
    assert children() == before
    tables.send(record, "ticks.csv").close()


def test_one_at_a_time(tmp_path: Path) -> None:
    """Whatever table it is, and of whichever run."""
    record, tables = long_record(tmp_path), Tables()
    before = children()
    with tables.send(record, "ticks.csv") as answer:
        next(answer.iter_encoded())
        for name in ("ticks.csv", "requests.csv"):
            with pytest.raises(BusyError, match="another table is being sent"):
                tables.send(record, name)
        assert len(children() - before) == 1


def test_what_nobody_reads_keeps_nobody_out(tmp_path: Path) -> None:
    """As for HEAD, or when what asked is gone before it begins."""
    record, tables = long_record(tmp_path), Tables()
    before = children()
    tables.send(record, "ticks.csv").close()
    del [tables.send(record, "ticks.csv")][0]
    with tables.send(record, "ticks.csv"):
        assert children() == before


def test_a_table_that_ends_or_breaks_makes_room(tmp_path: Path) -> None:
    tables = Tables()
    for text in (TICK, TICK + "nonsense\n", TICK):
        record = tmp_path / "record.ndjson"
        record.write_text(text)
        with suppress(TableError):
            tables.send(record, "ticks.csv").get_data()


def test_a_reader_who_takes_nothing_gives_way(tmp_path: Path) -> None:
    """A download that is paused must not shut out everybody; when it goes on, it breaks off."""
    record, now_s = long_record(tmp_path), [0.0]
    tables = Tables(lambda: now_s[0])
    before = children()
    with tables.send(record, "ticks.csv") as paused:
        chunks = paused.iter_encoded()
        next(chunks)
        now_s[0] = STALLED_S
        with pytest.raises(BusyError):
            tables.send(record, "ticks.csv")
        now_s[0] += 0.1
        with tables.send(record, "ticks.csv") as other:
            next(other.iter_encoded())
            assert len(children() - before) == 1
            with pytest.raises(TableError):
                list(chunks)
            with pytest.raises(BusyError):
                tables.send(record, "ticks.csv")
