"""How `aftershock run` ends after its load: what is written, and what is told, whoever reads it."""

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from loadtests import cli
from loadtests.run import LiveRun
from tests.reports.study.made import made, write
from tests.reports.verbs.printing import printing_to, unread


@pytest.fixture
def live(tmp_path: Path) -> LiveRun:
    folder = write(made(a=30), tmp_path / "run", 1)
    return LiveRun(folder, stopped_by=None, exit_code=0, last_words="")


def report(live: LiveRun) -> int:
    return cli._report(live, Console(stderr=True))


def test_a_reader_that_goes_changes_nothing(
    live: LiveRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with unread(monkeypatch):
        assert report(live) == 0
    assert not capsys.readouterr().err
    assert (live.directory / "report.html").exists()


def test_output_without_room_is_a_line_and_the_report_is_there(
    live: LiveRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        printing_to(os.open("/dev/full", os.O_WRONLY), monkeypatch),
        pytest.raises(typer.Exit) as end,
    ):
        report(live)
    assert end.value.exit_code == 2
    assert "aftershock run: the output cannot be written: No space" in capsys.readouterr().err
    assert (live.directory / "report.html").exists()


def test_what_cannot_be_written_is_told_all_the_same(
    live: LiveRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli, "write_files", full)
    assert report(live) == 1
    told = capsys.readouterr()
    assert "kept the service overloaded for 3.0 s" in told.out
    assert "report: " not in told.out
    assert "aftershock run: [Errno 28] No space left on device" in told.err


def test_stopped_before_anything_was_recorded_it_says_so_in_a_line(
    live: LiveRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to report on, and nothing failed."""
    (live.directory / "record.ndjson").unlink()
    assert report(replace(live, stopped_by=signal.SIGINT)) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "stopped before anything was recorded\n")


def test_stopped_when_all_had_been_seen_it_is_a_result(live: LiveRun) -> None:
    """In the last second, say."""
    assert report(replace(live, stopped_by=signal.SIGTERM)) == 0


def test_stopped_while_it_looks_at_a_target_it_says_so_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before a folder was made."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "look_at", stopped)
    app = typer.Typer()
    app.command()(cli.run)
    done = CliRunner().invoke(app, ["--target", "http://127.0.0.1:9"])
    assert (done.exit_code, done.stderr) == (130, "stopped before anything was recorded\n")
