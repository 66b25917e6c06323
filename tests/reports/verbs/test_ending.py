"""How verbs end when nobody reads what they print, nothing can be written, or they are stopped."""

import os
import signal
from pathlib import Path

import pytest

from reports.rendering.exports import exporting
from tests.reports.study.made import made, write
from tests.reports.verbs.printing import ended, printing_to, unread

VERBS = [
    (["check", "{run}", "--max-settled", "7s"], 0),
    (["check", "{run}", "--max-settled", "1s"], 1),
    (["check", "{run}", "--max-settled", "1s", "--json"], 1),
    (["report", "{run}"], 0),
    (["report", "{run}", "--markdown"], 0),
    (["report", "{run}", "{other}"], 0),
    (["report", "{run}", "{other}", "--markdown"], 0),
    (["compare", "{run}", "{other}"], 0),
    (["compare", "{run}", "{other}", "--json"], 0),
    (["export", "{run}", "--format", "markdown"], 0),
    (["export", "{run}", "{other}", "--format", "csv"], 0),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    names = ("run", "other")
    return {
        name: str(write(made(quick=30), folder / name, seed)) for seed, name in enumerate(names)
    }


def played(arguments: list[str], runs: dict[str, str]) -> object:
    return ended([one.format(**runs) for one in arguments])


@pytest.mark.parametrize(("arguments", "code"), VERBS)
def test_a_reader_that_goes_changes_no_exit_code(
    arguments: list[str],
    code: int,
    runs: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with unread(monkeypatch):
        assert played(arguments, runs) == code
    assert not capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize(("arguments", "code"), VERBS)
def test_output_that_cannot_be_written_is_a_line_and_exits_2(
    arguments: list[str],
    code: int,
    runs: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert code < 2
    with printing_to(os.open("/dev/full", os.O_WRONLY), monkeypatch):
        assert played(arguments, runs) == 2
    said = capsys.readouterr().err
    assert said == (
        f"aftershock {arguments[0]}: the output cannot be written: No space left on device\n"
    )


def test_told_to_stop_an_export_leaves_nothing_half_written(
    runs: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(*_: object) -> str:
        os.kill(os.getpid(), signal.SIGTERM)
        return "never"

    monkeypatch.setattr(Path, "write_bytes", stop)
    monkeypatch.setattr(exporting, "markdown", lambda *_: "text")
    to = tmp_path / "to"
    assert played(["export", "{run}", "--format", "markdown", "--to", str(to)], runs) == 130
    assert list(to.iterdir()) == []
    assert capsys.readouterr().err == "stopped: the files that were done are there\n"
