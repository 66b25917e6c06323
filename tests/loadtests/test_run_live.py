"""`aftershock run` from beginning to end, and its ends before the end."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.loadtests.live import (
    LIMIT_S,
    Line,
    a_target,
    check_attempts,
    failures_of,
    of_kind,
    processes_with,
    the_record,
)
from tests.real import eventually
from tests.target_service.live import clean_environment

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
    sent, _ = check_attempts(lines)
    assert set(sent) == {"no-retry", "immediate"}
    assert processes_with("AFTERSHOCK_RUN_DIR", f"runs/{folder.name}") == []


def test_a_running_target_is_used_and_left_as_it_was(tmp_path: Path) -> None:
    """Its capacity is its own; what it says of itself is in the record."""
    with a_target(tmp_path, capacity_per_s=200) as url:
        done = run(tmp_path, "--target", url, "--policy", "no-retry", "--rate", "50/s", *SHORT)
    assert done.returncode in (VALID, NOT_VALID), done.stderr
    lines = the_record(tmp_path / "runs")
    assert {line["capacity_per_s"] for line in of_kind(lines, "tick")} == {200.0, 40.0}
    [header] = of_kind(lines, "header")
    assert isinstance(header["target"], dict)
    assert header["target"]["capacity"] == "200/s"
    assert not list((tmp_path / "runs").glob("*/target.log"))


LAYERS = """
warm_up = "2s"
observation = "1s"
[load]
rate = "10/s"
[target]
capacity = "20/s"
[[policies]]
name = "immediate"
lane = "layers"
attempts = 2
base = "20ms"
layers = ["immediate:attempts=2,base=20ms", "immediate:attempts=2,base=20ms"]
[[policies]]
name = "no-retry"
[[dips]]
capacity = "0/s"
for = "3s"
"""


def test_layers_multiply_in_front_of_the_target(tmp_path: Path) -> None:
    """Two attempts at three layers are eight at the bottom; a lane without layers passes by."""
    (tmp_path / "layers.toml").write_text(LAYERS)
    done = run(tmp_path, "layers.toml")
    assert done.returncode in (VALID, NOT_VALID), done.stderr
    lines = the_record(tmp_path / "runs")
    counts = offered_by_number(lines)
    refused = sum(
        by_number(line["turned_away"])[1]
        for line in of_kind(lines, "tick")
        if line["lane"] == "layers"
    )
    failed = sum(
        failures_of(line) for line in of_kind(lines, "requests") if line["lane"] == "layers"
    )
    # Who failed has made all attempts, and who was refused at first has made no more: between the
    # two are those for whom the outage was over in time.
    assert 5 < failed <= refused
    for layer, retries in (
        ("gateway 1", {2: 1}),
        ("gateway 2", {2: 2, 3: 1}),
        ("target", {2: 3, 3: 3, 4: 1}),
    ):
        seen = counts["layers", layer]
        assert {1, *retries} == set(seen)
        for number, each in retries.items():
            assert each * failed <= seen[number] <= each * refused, (layer, number)
        assert set(counts["no-retry", layer]) == {1}
    check_attempts([line for line in lines if line.get("lane") == "no-retry"])
    [folder] = (tmp_path / "runs").iterdir()
    assert (folder / "gateway-1.log").exists()
    assert (folder / "gateway-2.log").exists()
    assert processes_with("AFTERSHOCK_RUN_DIR", f"runs/{folder.name}") == []


def by_number(counts: object) -> Counter[int]:
    """Attempts by their number, where there are any."""
    assert isinstance(counts, list)
    return Counter({number: count for number, count in enumerate(counts) if count})


def offered_by_number(lines: list[Line]) -> dict[tuple[str, str], Counter[int]]:
    """What arrived, by lane and layer, at each by attempt number."""
    counts: dict[tuple[str, str], Counter[int]] = {}
    for line in lines:
        if line["kind"] in ("tick", "layer"):
            at = str(line["lane"]), str(line.get("layer", "target"))
            counts.setdefault(at, Counter()).update(by_number(line["offered"]))
    return counts


EVENTS = """
warm_up = "3s"
observation = "4s"
[load]
rate = "40/s"
timeout = "500ms"
deadlines = true
[target]
workers = 5
service_time = "100ms"
heed_deadlines = true
[[policies]]
name = "no-retry"
[[policies]]
name = "immediate"
[[dips]]
workers = 1
for = "1s"
slow_start = "1s"
lanes = ["immediate"]
[[faults]]
type = "error"
for = "500ms"
repeat = 2
every = "1s"
lanes = ["no-retry"]
[[spikes]]
factor = 2
at = "4s"
for = "1s"
lanes = ["no-retry"]
[[actions]]
action = "block-retries"
at = "5s"
for = "1m"
lanes = ["immediate"]
"""


def test_whatever_a_scenario_plans_happens_and_is_recorded(tmp_path: Path) -> None:
    """A queue, a dip of its workers, errors twice, a spike, an action that is taken back."""
    (tmp_path / "events.toml").write_text(EVENTS)
    done = run(tmp_path, "events.toml")
    assert done.returncode in (VALID, NOT_VALID), done.stderr
    lines = the_record(tmp_path / "runs")
    faults = {line["type"]: line for line in of_kind(lines, "fault")}
    assert set(faults) == {"dip", "error", "spike"}
    errors = {line["id"]: line for line in of_kind(lines, "fault") if line["type"] == "error"}
    assert len(errors) == 2
    begins_s = sorted(float(str(line["start_s"])) for line in errors.values())
    assert begins_s == pytest.approx([3.0, 4.0], abs=0.3)
    assert faults["dip"]["capacity"] == "1 worker, slow start 1s"
    assert (faults["spike"]["start_s"], faults["spike"]["end_s"]) == (4.0, 5.0)
    assert (faults["spike"]["lanes"], faults["spike"]["text"]) == (["no-retry"], "× 2")
    planned, taken_back = of_kind(lines, "action")
    assert float(str(taken_back["end_s"])) < float(str(planned["end_s"])) - 30
    ticks = of_kind(lines, "tick")
    assert min(float(str(t["capacity_per_s"])) for t in ticks if t["lane"] == "immediate") == 10.0
    assert {t["capacity_per_s"] for t in ticks if t["lane"] == "no-retry"} == {50.0}
    assert any(t["failed"] for t in ticks if t["lane"] == "no-retry")
    assert any(t["blocked"] for t in ticks if t["lane"] == "immediate")
    due: Counter[tuple[object, int]] = Counter()
    for line in of_kind(lines, "requests"):
        due[line["lane"], int(float(str(line["t_s"])) + 1e-6)] += int(str(line["issued"]))
    assert due["no-retry", 3] == pytest.approx(40, abs=1)
    assert due["no-retry", 4] == pytest.approx(80, abs=1)
    assert due["no-retry", 5] == pytest.approx(40, abs=1)
    assert due["immediate", 4] == pytest.approx(40, abs=1)


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *(options or ("--policy", "immediate"))],
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until_recording(folder: Path) -> Path:
    """The folder of a run that has recorded its first ticks."""

    def recording() -> Path | None:
        paths = folder.glob("runs/*/record.ndjson")
        return next((path.parent for path in paths if '"tick"' in path.read_text()), None)

    return eventually(recording, "the first ticks are recorded")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_closes_its_record_and_reports(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A Ctrl-C goes to the whole group of processes; only the command acts on it."""
    process = start(tmp_path)
    folder = wait_until_recording(tmp_path)
    os.killpg(process.pid, number)
    stdout, stderr = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 128 + number, stderr
    assert "ended early" in stderr
    assert "NOT VALID" in stdout
    assert the_record(tmp_path / "runs")[-1]["reason"] == "interrupted"
    assert (folder / "report.html").exists()
    assert processes_with("AFTERSHOCK_PARENT_PID", str(process.pid)) == []


def test_a_killed_run_leaves_no_process_behind(tmp_path: Path) -> None:
    """Nobody can tidy up after SIGKILL, so the children watch their parent."""
    (tmp_path / "layers.toml").write_text(LAYERS)
    process = start(tmp_path, "layers.toml")
    wait_until_recording(tmp_path)
    # The target, two gateways, the load.
    assert len(processes_with("AFTERSHOCK_PARENT_PID", str(process.pid))) == 4
    process.kill()
    process.communicate(timeout=LIMIT_S)
    eventually(
        lambda: not processes_with("AFTERSHOCK_PARENT_PID", str(process.pid)),
        "no process outlives its parent",
    )


def test_a_target_that_does_not_answer_is_named(tmp_path: Path) -> None:
    """In one line, and not as a report on nothing."""
    done = run(tmp_path, "--target", "http://127.0.0.1:9", *SHORT)
    assert done.returncode == 1
    assert "no target answers at http://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
