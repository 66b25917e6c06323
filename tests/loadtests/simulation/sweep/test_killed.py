"""A sweep that is killed at any moment goes on with the same command."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loadtests.overrides import Flags
from loadtests.scenario import load_scenario_values
from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.cells import play_cell
from loadtests.simulation.sweep.checking import plan
from loadtests.simulation.sweep.to_json import to_json
from loadtests.simulation.sweep.verdict import judge

SCENARIO = """
name = "short"
warm_up = "2s"
observation = "8s"
policies = [{name = "no-retry"}, {name = "full-jitter"}]
"""
AXES = ("load.utilisation=0.5:0.9:0.1", "dip.for=200ms:1s:200ms")
COMMAND = [
    sys.executable, "-c", "import aftershock; aftershock.main()", "sweep", "short.toml",
    "--vary", AXES[0], "--vary", AXES[1], "--runs", "1", "--processes", "2", "--out", "out",
]  # fmt: skip
CELLS = 60


def start(folder: Path) -> subprocess.Popen[bytes]:
    """The command, in this folder."""
    return subprocess.Popen(COMMAND, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def lines_in(folder: Path) -> list[bytes]:
    """Of the file of cells, those that are whole."""
    path = folder / "out" / "cells.ndjson"
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def wait_for_lines(folder: Path, more_than: int, process: subprocess.Popen[bytes]) -> None:
    """Until cells are being played, or the command has ended."""
    deadline_s = time.monotonic() + 60
    while len(lines_in(folder)) <= more_than and process.poll() is None:
        assert time.monotonic() < deadline_s, "no cell was played in a minute"
        time.sleep(0.01)


@pytest.mark.timeout(240)
def test_a_sweep_that_is_killed_goes_on_and_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """By SIGKILL, by SIGTERM, then by a Ctrl-C; what comes of it is what one session gives."""
    (tmp_path / "short.toml").write_text(SCENARIO)
    chance = random.Random(5)
    for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        before = lines_in(tmp_path)
        process = start(tmp_path)
        wait_for_lines(tmp_path, len(before), process)
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(process.pid, sent)
        _, errors = process.communicate(timeout=60)
        if process.returncode != 0:
            assert process.returncode in {-signal.SIGKILL, 130}, errors
        assert lines_in(tmp_path)[: len(before)] == before
    process = start(tmp_path)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    numbers = [json.loads(line)["number"] for line in lines_in(tmp_path)[1:]]
    assert sorted(numbers) == list(range(CELLS))
    whole = json.loads((tmp_path / "out" / "sweep.json").read_text())
    assert whole["done"] == CELLS
    sweep = plan(
        load_scenario_values(tmp_path / "short.toml"), AXES, Flags(), runs=1, engine=Engine.AUTO
    )
    at_once = {number: play_cell(sweep.task(number)) for number in range(sweep.size)}
    assert whole == json.loads(to_json(judge(sweep, at_once)))
