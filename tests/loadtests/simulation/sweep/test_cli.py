"""The verb `aftershock sweep`: what it prints, its exit codes, and what it refuses."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aftershock_verbs import app_for
from loadtests.simulation.many import Task
from loadtests.simulation.sweep import cli
from loadtests.simulation.sweep.cells import CellTask, Played
from loadtests.simulation.sweep.store import CELLS_NAME, Store
from tests.loadtests.simulation.sweep.made import SHORT, played, sweep_of
from tests.reports.verbs.printing import ended, printing_to, unread

SCENARIO = """
name = "short"
warm_up = "2s"
observation = "8s"
policies = [{name = "no-retry"}, {name = "full-jitter"}]
"""
AXIS = ["--vary", "dip.for=1s,2s"]


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario's file in an empty folder, which is the one that we are in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "short.toml"
    path.write_text(SCENARIO)
    return path


def sweep(*arguments: str | Path) -> Result:
    """Call it, on one process."""
    runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
    return runner.invoke(app_for(["sweep"]), ["sweep", *map(str, arguments)])


def play_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of simulating: nothing recovers from the longer dip."""

    def pretend(task: CellTask) -> Played:
        return played(0 if dict(task.settings)["dip.for"] == "2s" else task.runs, task.runs)

    monkeypatch.setattr("loadtests.simulation.sweep.session.play_cell", pretend)


def test_it_prints_the_map_and_names_the_page(
    scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is in sweeps/, where the same command finds it again."""
    play_at_once(monkeypatch)
    result = sweep(scenario, *AXIS, "--processes", "1")
    assert result.exit_code == 0, result.stderr
    assert "Of 4 cells 0 recover, 2 are vulnerable and 2 do not come back" in result.stdout
    (folder,) = Path("sweeps").iterdir()
    assert f"map: {folder}/sweep.html" in result.stdout
    assert (folder / "sweep.html").exists()
    monkeypatch.setattr("loadtests.simulation.sweep.session.play_cell", None)
    assert sweep(scenario, *AXIS, "--processes", "1").exit_code == 0


@pytest.mark.parametrize(
    "axis",
    [AXIS, ["--find", "tipping-point", "--along", "dip.for=1s:2s", "--runs", "24"]],
)
def test_a_full_disk_is_a_line_and_a_reader_that_goes_is_none(
    scenario: Path,
    axis: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The page is there by then."""
    play_at_once(monkeypatch)
    arguments = ["sweep", str(scenario), *axis, "--processes", "1", "--out"]
    with unread(monkeypatch):
        assert ended([*arguments, "here"]) == 0
    assert "aftershock sweep: " not in capsys.readouterr().err
    with printing_to(os.open("/dev/full", os.O_WRONLY), monkeypatch):
        assert ended([*arguments, "there"]) == 2
    assert "aftershock sweep: the output cannot be written: No space" in capsys.readouterr().err
    for folder in ("here", "there"):
        assert [path.suffix for path in sorted(Path(folder).glob("*.[hj]*"))] == [".html", ".json"]


def test_as_json_it_prints_nothing_else(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as in sweep.json."""
    play_at_once(monkeypatch)
    result = sweep(scenario, *AXIS, "--processes", "1", "--json", "--out", "here", "--runs", "1")
    assert json.loads(result.stdout) == json.loads(Path("here/sweep.json").read_text())


def test_a_ctrl_c_says_how_far_it_was_and_writes_the_map(
    scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 130; the same command plays the rest."""
    left = iter([played(5, 5)] * 2)

    def stopped(_task: CellTask) -> Played:
        found = next(left, None)
        if found is None:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr("loadtests.simulation.sweep.session.play_cell", stopped)
    result = sweep(scenario, *AXIS, "--processes", "1", "--out", "here")
    assert result.exit_code == 130
    assert "stopped: 2 of 6 cells and probes are done; the same command goes on" in result.stderr
    assert "2 of 6 cells and probes" in Path("here/sweep.html").read_text()
    play_at_once(monkeypatch)
    assert sweep(scenario, *AXIS, "--processes", "1", "--out", "here").exit_code == 0
    assert len(Path("here", CELLS_NAME).read_text().splitlines()) == 1 + 6


def test_being_told_to_end_is_a_ctrl_c(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, told_to_end: Callable[[], None]
) -> None:
    """What is done is written, and so is the map; a search says what is sure by then."""

    def told(task: CellTask | Task) -> Played:
        told_to_end()
        return played(5, 5)

    monkeypatch.setattr("loadtests.simulation.sweep.session.play_cell", told)
    result = sweep(scenario, *AXIS, "--processes", "1", "--out", "here")
    assert result.exit_code == 130
    assert result.stderr == (
        "stopped: 0 of 6 cells and probes are done; the same command goes on with the rest\n"
    )
    assert Path("here/sweep.html").exists()
    monkeypatch.setattr("loadtests.simulation.tipping.looking.play", told)
    find = ("--find", "tipping-point", "--along", "dip.for", "--out", "found")
    assert sweep(scenario, *find, "--processes", "1").exit_code == 130
    assert json.loads(Path("found/tipping-point.json").read_text())["interrupted"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--vary is needed"),
        (["--vary", "dip.fro=1s"], "--vary dip.fro: there is no such field (did you mean dip.for?"),
        (["--vary", "dip.for=1s,2h"], "short.toml: dip.for=2h: dips.0.for: '2h' is longer than 1h"),
        ([*AXIS, "--vary", "dips.0.for=1s"], "dip.for and dips.0.for are two spellings of one"),
        ([*AXIS, "--dip", "20% for 1s"], "dip.for and --dip are two spellings of one field"),
        ([*AXIS, "--runs", "0"], "--runs: 0: expected 1 to 1000"),
        ([*AXIS, "--engine", "fast"], "--engine: 'fast' is none: expected auto, events or ticks"),
        ([*AXIS, "--processes", "0"], "--processes: 0: expected 1 to"),
        ([*AXIS, "--processes", "2", "--cluster", "tcp://x:1"], "--processes and --cluster"),
        ([*AXIS, "--policy", "nobody"], "unknown policy 'nobody'"),
        ([*AXIS, "--find", "tipping-point", "--along", "dip.for"], "goes without --vary"),
        (["--along", "dip.for"], "--along is for --find tipping-point: expected both or none"),
        ([*AXIS, "--confidence", "99%"], "--confidence is for --find tipping-point"),
        (
            ["--find", "tipping-point", "--along", "dip.for", "--dip", "20% for 1s"],
            "--along dip.for and --dip are two spellings of one field",
        ),
        (
            ["--find", "tipping-point", "--along", "load.utilisation", "--rate", "9/s"],
            "--along load.utilisation and --rate are two spellings of one field",
        ),
        (["--find", "gold", "--along", "dip.for"], "--find: 'gold' is none: expected tipping-po"),
        (["--find", "tipping-point"], "--find tipping-point needs --along PATH, as in dip.for"),
        (["--find", "tipping-point", "--along", "dip.for", "--confidence", "9"], "--confidence"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    scenario: Path, arguments: list[str], said: str
) -> None:
    """Exit code 2."""
    result = sweep(scenario, *arguments)
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("aftershock sweep: ")
    assert said in line
    assert list(scenario.parent.iterdir()) == [scenario]


def test_a_scenario_that_is_not_there_is_named(scenario: Path) -> None:
    """As its file."""
    result = sweep("nowhere.toml", *AXIS)
    assert result.exit_code == 2
    assert "nowhere.toml" in result.stderr


def test_a_folder_in_use_is_refused(scenario: Path) -> None:
    """Two sessions would play every cell twice."""
    with Store(Path("here"), sweep_of("dip.for=1s,2s", values=SHORT, runs=5)):
        result = sweep(scenario, *AXIS, "--out", "here", "--processes", "1")
    assert result.exit_code == 2
    assert "another sweep is writing to it" in result.stderr


def test_the_help_has_an_example() -> None:
    """That can be typed."""
    result = sweep("--help")
    assert result.exit_code == 0
    assert "aftershock sweep --vary load.utilisation=0.5:0.99:0.01" in " ".join(
        result.stdout.replace("│", " ").split()
    )
    assert cli.RUNS == 5
