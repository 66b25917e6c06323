"""A simulated run as a record: the same from its file as from memory, everywhere, or not at all."""

import hashlib
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest

from loadtests.scenario import parse_scenario
from loadtests.simulation import recording
from loadtests.simulation.engines import simulate
from loadtests.simulation.lines import lines_of
from loadtests.simulation.metered import Simulated, record_of
from loadtests.simulation.recording import write_run
from reports.reading.read import parse_record
from reports.record import encode
from reports.rendering.to_json import to_json
from reports.summary import fold

BRIEF: dict[str, object] = {"warm_up": "2s", "observation": "7s", "load": {"rate": "40/s"}}
REJECTING: dict[str, object] = {
    **BRIEF,
    "name": "rejecting",
    "target": {"capacity": "45/s", "status": 429},
    "policies": [{"name": "no-retry"}, {"name": "full-jitter", "layers": ["immediate"]}],
    "dips": [{"capacity": "30%", "for": "1.05s"}],
    "spikes": [{"factor": "2x", "for": "0.3333s", "at": "3.21s", "lanes": ["no-retry"]}],
}
QUEUEING: dict[str, object] = {
    **BRIEF,
    "name": "queueing",
    "load": {"rate": "30/s", "arrivals": "poisson", "timeout": "500ms"},
    "target": {"workers": 4, "service_time": "exponential 100ms", "queue": 30},
    "policies": [{"name": "immediate", "attempts": 3}, {"name": "full-jitter-budget"}],
    "dips": [{"workers": 1, "for": "1s", "slow_start": "500ms"}],
    "faults": [{"type": "error", "share": "50%", "for": "1s", "at": "3s", "lanes": ["immediate"]}],
    "actions": [{"action": "shed", "share": "50%", "at": "4s", "for": "1s"}],
}
IN_TICKS: dict[str, object] = {
    **REJECTING,
    "name": "in-ticks",
    "simulation": {"admits": "shuffled", "scale": 3},
    "policies": [{"name": "no-retry"}, {"name": "full-jitter"}],
}


def run_of(values: dict[str, object], seed: int = 0) -> Simulated:
    return simulate(parse_scenario({**values, "seed": seed}))


def encoded(run: Simulated) -> bytes:
    return "".join(encode(line) + "\n" for line in lines_of(run)).encode()


def differences(one: object, other: object, where: str = "") -> list[str]:
    """Where two records differ, field by field."""
    if is_dataclass(one) and is_dataclass(other):
        assert type(one) is type(other)
        return [
            place
            for field in fields(one)
            for place in differences(
                getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}"
            )
        ]
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        same = one.shape == other.shape and bool(np.array_equal(one, other))
        return [] if same and one.dtype == other.dtype else [f"{where}: {one} {other}"]
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [place for n, (a, b) in pairs for place in differences(a, b, f"{where}.{n}")]
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [p for key in one for p in differences(one[key], other[key], f"{where}.{key}")]
    return [] if one == other else [f"{where}: {one} {other}"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("values", [REJECTING, QUEUEING, IN_TICKS], ids=lambda v: v["name"])
def test_a_record_read_back_is_the_one_in_memory(values: dict[str, object], seed: int) -> None:
    """Field by field, so that the report of a file and that of the run are one."""
    run = run_of(values, seed)
    read, made = parse_record(encoded(run)), record_of(run)
    assert differences(read, made) == []
    assert to_json(fold(read)) == to_json(fold(made))


@pytest.mark.parametrize("admits", ["in-order", "shuffled"])
def test_what_is_repeated_is_the_run_in_which_each_is_named(admits: str) -> None:
    """By either engine: only the header differs, and each time has an id of its own."""
    again = {"repeat": 3, "every": "1.1s"}
    shared: dict[str, object] = {**IN_TICKS, "simulation": {"admits": admits, "scale": 3}}
    dip = {"capacity": "30%", "for": "700ms"}
    spike = {"factor": "2x", "for": "300ms", "at": "2.5s", "lanes": ["no-retry"]}
    compact = run_of({**shared, "dips": [{**dip, **again}], "spikes": [{**spike, **again}]})
    each = run_of(
        {
            **shared,
            "dips": [{**dip, "at": at} for at in ("2s", "3.1s", "4.2s")],
            "spikes": [{**spike, "at": at} for at in ("2.5s", "3.6s", "4.7s")],
        }
    )
    assert encoded(compact).splitlines()[1:] == encoded(each).splitlines()[1:]
    assert sorted((fault.id, fault.start_s) for fault in compact.faults) == [
        *(("dip-1", 2.0), ("dip-2", 3.1), ("dip-3", 4.2)),
        *(("spike-1", 2.5), ("spike-2", 3.6), ("spike-3", 4.7)),
    ]
    assert compact.header.versions["engine"] == ("ticks" if admits == "shuffled" else "events")


def test_a_run_is_a_folder_like_that_of_a_live_one(tmp_path: Path) -> None:
    """Record and report, under the names that `aftershock report` looks for."""
    folder, report = write_run(run_of(REJECTING), tmp_path / "runs", 1796033700.0)
    assert folder == tmp_path / "runs" / "20261130-101500"
    assert sorted(path.name for path in folder.iterdir()) == [
        "record.ndjson", "report.html", "report.json",
    ]  # fmt: skip
    assert (folder / "record.ndjson").read_bytes() == encoded(run_of(REJECTING))
    assert (folder / "report.json").read_text(encoding="utf-8") == to_json(report)
    again, _ = write_run(run_of(REJECTING), tmp_path / "runs", 1796033700.0)
    assert again.name == "20261130-101500-2"


@pytest.mark.parametrize("broken", ["write_files", "lines_of"])
def test_stopped_while_it_writes_it_leaves_no_folder(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half-written is taken for a run."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    run = run_of(REJECTING)
    monkeypatch.setattr(recording, broken, stopped)
    with pytest.raises(KeyboardInterrupt):
        write_run(run, tmp_path, 0.0)
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_the_same_byte_for_byte_in_every_process() -> None:
    """Whatever the order of its sets, and that of the runs before."""
    code = (
        "import hashlib\n"
        "from tests.loadtests.simulation.test_recording import *\n"
        "for values in (REJECTING, QUEUEING, IN_TICKS):\n"
        "    print(hashlib.sha256(encoded(run_of(values, 5))).hexdigest())\n"
    )
    told = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            text=True,
        )
        for hash_seed in ("1", "2")
    ]
    first, second = (process.communicate(timeout=60)[0].split() for process in told)
    assert first == second
    assert first == [
        hashlib.sha256(encoded(run_of(values, 5))).hexdigest()
        for values in (REJECTING, QUEUEING, IN_TICKS)
    ]
