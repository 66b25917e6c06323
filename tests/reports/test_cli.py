"""`aftershock report`: what it prints, what it writes, how it exits."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reports.__main__ import app
from tests.reports.synthetic import Made, Shape, plain, storm

GOOD = Made([Shape("a", plain(storm(30)))])


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return GOOD.write(tmp_path / "runs" / "one")


def test_a_valid_run_prints_the_table_and_writes_both_files(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0
    assert "kept the service overloaded for 3.0 s" in result.output
    assert str(folder / "report.html") in result.output
    assert json.loads((folder / "report.json").read_text())["valid"] is True
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in folder.iterdir()) == [
        "record.ndjson",
        "report.html",
        "report.json",
    ]


def test_the_files_can_go_elsewhere(folder: Path, tmp_path: Path) -> None:
    """A run that goes on is looked at without a trace in its folder."""
    to = tmp_path / "elsewhere"
    to.mkdir()
    result = run(folder, "--to", to)
    assert result.exit_code == 0
    assert str(to / "report.html") in result.output
    assert sorted(path.name for path in to.iterdir()) == ["report.html", "report.json"]
    assert [path.name for path in folder.iterdir()] == ["record.ndjson"]
    assert run(folder, "--to", tmp_path / "made").exit_code == 0
    assert (tmp_path / "made" / "report.html").exists()
    result = run(folder, "--to", to / "report.html")  # a file
    assert result.exit_code == 2
    assert "the report cannot be written" in result.output


def test_the_record_itself_can_be_named(folder: Path) -> None:
    assert run(folder / "record.ndjson").exit_code == 0
    assert (folder / "report.html").exists()


def test_json_is_the_whole_output(folder: Path) -> None:
    result = run(folder, "--json")
    assert json.loads(result.output)["policies"][0]["settled_s"] == 3.0
    assert result.output == (folder / "report.json").read_text()


def test_a_run_that_is_not_valid_exits_3(tmp_path: Path) -> None:
    result = run(GOOD.but(end=None).write(tmp_path / "run"))
    assert result.exit_code == 3
    assert "NOT VALID" in result.output


def test_a_run_without_a_dip_exits_2_and_has_totals(tmp_path: Path) -> None:
    result = run(GOOD.but(dips=[]).write(tmp_path / "run"))
    assert result.exit_code == 2
    assert "no dip found" in result.output
    assert "4,330" in result.output


def test_bad_input_is_one_line_and_exits_2(tmp_path: Path) -> None:
    (tmp_path / "record.ndjson").write_text("not a record\n")
    for path in (tmp_path, tmp_path / "none"):
        result = run(path)
        assert result.exit_code == 2
        assert len(result.output.strip().splitlines()) == 1


def test_the_newest_run_is_reported_when_none_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = GOOD.write(folder.parent / "a-newer-one")
    os.utime(newer / "record.ndjson", (2e9, 2e9))
    monkeypatch.chdir(folder.parent.parent)
    assert run().exit_code == 0
    assert (newer / "report.html").exists()
    assert not (folder / "report.html").exists()


def test_no_run_at_all_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit_code == 2
    assert "aftershock run" in result.output


def test_a_folder_that_cannot_be_written_keeps_the_old_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole or not at all: the page that was there stays."""
    assert run(folder).exit_code == 0
    before = (folder / "report.html").read_text()

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = run(folder)
    assert result.exit_code == 2
    assert "No space left" in result.output
    assert (folder / "report.html").read_text() == before
    assert len(list(folder.iterdir())) == 3


def test_help_has_an_example() -> None:
    assert "aftershock report runs/" in run("--help").output
