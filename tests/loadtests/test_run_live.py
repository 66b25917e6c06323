"""`aftershock run` from beginning to end, and its ends before the end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.loadtests.live import (
    LIMIT_S,
    a_target,
    attempts_by_lane,
    clean_environment,
    of_kind,
    processes_with,
    the_record,
)

pytestmark = pytest.mark.live

COMMAND = (sys.executable, "-m", "aftershock", "run", "--out", "runs")
SHORT = ("--warm-up", "2s", "--dip", "20% for 500ms at 2s", "--observation", "7s")
VALID, BAD_INPUT, NOT_VALID = 0, 2, 3


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *options],
        cwd=folder,
        env=clean_environment(COLUMNS="80"),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_a_run_measures_two_policies_side_by_side(tmp_path: Path) -> None:
    """Record, table, page and JSON; nothing is left running."""
    done = run(tmp_path, "--policy", "no-retry", "--policy", "immediate", *SHORT)
    # On a machine that stalls, a run may rightly call itself invalid.
    assert done.returncode in (VALID, NOT_VALID), done.stderr
    table = [line for line in done.stdout.splitlines() if "offered/capacity" not in line]
    assert max(len(line) for line in table) <= 80
    [folder] = (tmp_path / "runs").iterdir()
    report = json.loads((folder / "report.json").read_text())
    assert report["valid"] == (done.returncode == VALID)
    assert [policy["name"] for policy in report["policies"]] == ["no-retry", "immediate"]
    assert report["policies"][1]["attempts"] > report["policies"][0]["attempts"]
    assert (folder / "report.html").stat().st_size > 10_000
    lines = the_record(tmp_path / "runs")
    assert of_kind(lines, "end")[0]["reason"] == "finished"
    sent, offered = attempts_by_lane(lines)
    for lane in ("no-retry", "immediate"):
        # What is on its way at the end may be on one side only.
        assert abs(sent[lane] - offered[lane]) <= 3
    assert processes_with("AFTERSHOCK_RUN_DIR", f"runs/{folder.name}") == []


def test_a_running_target_is_used_and_left_as_it_was(tmp_path: Path) -> None:
    """Its capacity is its own."""
    with a_target(tmp_path, capacity_per_s=200) as url:
        done = run(tmp_path, "--target", url, "--policy", "no-retry", "--rate", "50/s", *SHORT)
    assert done.returncode in (VALID, NOT_VALID), done.stderr
    ticks = of_kind(the_record(tmp_path / "runs"), "tick")
    assert {line["capacity_per_s"] for line in ticks} == {200.0, 40.0}
    assert not list((tmp_path / "runs").glob("*/target.log"))


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--policy", "immediate"],
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until_recording(folder: Path) -> Path:
    """The folder of a run that has recorded its first ticks."""
    deadline_s = time.monotonic() + LIMIT_S / 2
    while time.monotonic() < deadline_s:
        for path in folder.glob("runs/*/record.ndjson"):
            if '"tick"' in path.read_text():
                return path.parent
        time.sleep(0.1)
    raise AssertionError("nothing was recorded")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_closes_its_record_and_reports(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A Ctrl-C goes to the whole group of processes; only the command acts on it."""
    process = start(tmp_path)
    folder = wait_until_recording(tmp_path)
    os.killpg(process.pid, number)
    stdout, stderr = process.communicate(timeout=LIMIT_S)
    assert process.returncode == NOT_VALID, stderr
    assert "ended early" in stderr
    assert "NOT VALID" in stdout
    assert the_record(tmp_path / "runs")[-1]["reason"] == "interrupted"
    assert (folder / "report.html").exists()
    assert processes_with("AFTERSHOCK_PARENT_PID", str(process.pid)) == []


def test_a_killed_run_leaves_no_process_behind(tmp_path: Path) -> None:
    """Nobody can tidy up after SIGKILL, so the children watch their parent."""
    process = start(tmp_path)
    wait_until_recording(tmp_path)
    assert len(processes_with("AFTERSHOCK_PARENT_PID", str(process.pid))) == 2
    process.kill()
    process.communicate(timeout=LIMIT_S)
    deadline_s = time.monotonic() + LIMIT_S / 2
    while processes_with("AFTERSHOCK_PARENT_PID", str(process.pid)):
        assert time.monotonic() < deadline_s, "a process outlives its parent"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ("--policy", "hope"),
            "policies.0: unknown policy 'hope': `aftershock policies` lists them",
        ),
        (("--rate", "fast"), "load.rate: 'fast' is not a rate per second"),
        (("--dip", "20%"), "--dip: '20%' is not a dip"),
        (("none.toml",), "none.toml: No such file"),
        (("--target", "localhost"), "localhost"),
    ],
)
def test_bad_input_exits_with_2_and_says_what_is_right(
    tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    """Before anything is started."""
    done = run(tmp_path, *options)
    assert done.returncode == BAD_INPUT
    assert says in " ".join(done.stderr.split())
    assert not (tmp_path / "runs").exists()


def test_a_target_that_does_not_answer_is_named(tmp_path: Path) -> None:
    """In one line, and not as a report on nothing."""
    done = run(tmp_path, "--target", "http://127.0.0.1:9", *SHORT)
    assert done.returncode == 1
    assert "no target answers at http://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
