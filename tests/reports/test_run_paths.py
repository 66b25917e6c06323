"""Which runs a path names."""

from pathlib import Path

import pytest

from reports.reading.lines import RecordError
from reports.several import paths as run_paths
from reports.several.paths import runs_in, runs_of


def _run(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "record.ndjson").write_text("{}\n")
    return folder


def test_a_record_a_run_and_a_folder_of_runs(tmp_path: Path) -> None:
    second, first = _run(tmp_path / "b"), _run(tmp_path / "a")
    (tmp_path / "c").mkdir()
    (tmp_path / "d").write_text("no folder")
    assert runs_in(first) == [first]
    assert runs_in(first / "record.ndjson") == [first / "record.ndjson"]
    assert runs_in(tmp_path) == [first, second]


def test_a_folder_with_a_record_is_a_run_whatever_else_is_in_it(tmp_path: Path) -> None:
    run = _run(tmp_path / "a")
    _run(run / "copy")
    assert runs_in(run) == [run]


@pytest.mark.parametrize(
    ("name", "said"), [("none", "no such run"), (".", "nor in a folder of it")]
)
def test_what_is_no_run_is_said(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "a" / "deeper").mkdir(parents=True)
    (tmp_path / "a" / "deeper" / "record.ndjson").write_text("{}\n")
    with pytest.raises(RecordError, match=said):
        runs_in(tmp_path / name)


def test_what_several_runs_say_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "distribution.json").write_text("{}")
    with pytest.raises(RecordError, match="and none of them: expected the runs"):
        runs_in(tmp_path)


def test_one_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a"), _run(tmp_path / "b")
    assert runs_of([second, tmp_path, second / "record.ndjson"]) == [second, first]


def test_too_many_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_paths, "MAX_RUNS", 2)
    for name in "abc":
        _run(tmp_path / name)
    with pytest.raises(RecordError, match="3 runs; at most 2"):
        runs_in(tmp_path)
    with pytest.raises(RecordError, match="3 runs; at most 2"):
        runs_of(tmp_path / name for name in "abc")


def test_reports_beside_runs_are_passed_over(tmp_path: Path) -> None:
    """As in ``runs/*``; but one that is named alone is refused by whoever reads it."""
    run, page = _run(tmp_path / "a"), tmp_path / "distribution.html"
    page.write_text("<!doctype html>")
    (tmp_path / "export").mkdir()
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "distribution.json").write_text("{}")
    assert runs_of(sorted(tmp_path.iterdir())) == [run]
    assert runs_of([page]) == [page]
    with pytest.raises(RecordError):
        runs_of([tmp_path / "export"])


def test_a_folder_of_runs_is_none_that_was_made_of_them(tmp_path: Path) -> None:
    """Though what they say together lies beside them, or though it is called as exports are."""
    first, second = _run(tmp_path / "one" / "a"), _run(tmp_path / "export" / "b")
    (tmp_path / "one" / "distribution.json").write_text("{}")
    assert runs_of([tmp_path / "one", tmp_path / "export"]) == [first, second]
