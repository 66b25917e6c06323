"""`aftershock report` of several runs: which, what it writes and where, how it exits."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reports.__main__ import app
from reports.record import RECORD_NAME
from tests.reports.study.made import made, write


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def several(folder: Path, *storms: int) -> Path:
    for seed, ticks in enumerate(storms):
        write(made(a=ticks), folder / f"r{seed}", seed)
    return folder


def test_a_folder_of_runs_is_one_report(tmp_path: Path) -> None:
    folder = several(tmp_path / "runs", 10, 20, 30)
    result = run(folder)
    assert result.exit_code == 0
    assert "3 runs" in result.output
    assert "settled within a median of 2.0 s" in " ".join(result.output.split())
    assert str(folder / "distribution.html") in result.output.replace("\n", "")
    files = sorted(path.name for path in folder.iterdir() if path.is_file())
    assert files == ["distribution.html", "distribution.json"]
    assert [path.name for path in (folder / "r0").iterdir()] == [RECORD_NAME]


def test_runs_by_name_and_files_elsewhere(tmp_path: Path) -> None:
    folder = several(tmp_path / "runs", 10, 20, 30)
    to = tmp_path / "to"
    to.mkdir()
    result = run(folder / "r0", folder / "r2" / RECORD_NAME, "--to", to, "--json")
    assert result.exit_code == 0
    assert result.stdout == (to / "distribution.json").read_text()
    assert [one["seed"] for one in json.loads(result.stdout)["runs"]] == [0, 2]
    assert not (folder / "distribution.json").exists()


def test_markdown_is_printed_and_nothing_else(tmp_path: Path) -> None:
    result = run(several(tmp_path / "runs", 10, 20), "--markdown")
    assert result.exit_code == 0
    assert result.stdout.startswith("# one-dip: 2 runs, seeds 0 to 1\n")
    assert "| `r0` | 0 | yes |" in result.stdout
    assert (tmp_path / "runs" / "distribution.html").exists()


def test_a_folder_of_one_run_is_reported_as_ever(tmp_path: Path) -> None:
    folder = several(tmp_path / "runs", 10)
    assert run(folder).exit_code == 0
    assert (folder / "r0" / "report.html").exists()
    assert not (folder / "distribution.html").exists()


def test_a_run_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """And nothing is written of the others."""
    folder = several(tmp_path / "runs", 10, 20)
    (folder / "r1" / RECORD_NAME).write_text("")
    result = run(folder)
    assert result.exit_code == 2
    assert f"{folder / 'r1'}: the record is empty" in result.output
    assert not (folder / "distribution.json").exists()


def test_it_exits_3_when_no_valid_run_is_left_and_not_before(tmp_path: Path) -> None:
    folder = several(tmp_path / "runs", 10)
    write(made(a=10).but(end=None), folder / "cut", 8)
    assert run(folder).exit_code == 0
    bad = tmp_path / "bad"
    for seed in range(2):
        write(made(a=10).but(end=None), bad / f"r{seed}", seed)
    result = run(bad)
    assert result.exit_code == 3
    assert "No run is valid." in result.output


def test_it_exits_2_when_nothing_was_disturbed(tmp_path: Path) -> None:
    for seed in range(2):
        write(made(a=10).but(dips=[]), tmp_path / f"r{seed}", seed)
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "Nothing disturbed these runs" in result.output


@pytest.mark.parametrize("option", ["--predicted", "--so-far"])
def test_what_is_for_one_run_is_refused(option: str, tmp_path: Path) -> None:
    result = run(several(tmp_path, 10, 20), option)
    assert result.exit_code == 2
    assert f"{option} is for one run: 2 are named" in result.output


def test_ctrl_c_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.several.reading.build_report", stopped)
    result = run(several(tmp_path, 10, 20))
    assert (result.exit_code, "nothing was written" in result.output) == (130, True)
    assert not (tmp_path / "distribution.json").exists()
