"""How busy this machine is."""

import time
from pathlib import Path

import pytest

from loadtests.calibration import machine
from loadtests.calibration.machine import MachineLoad


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="the kernel does not tell")
def test_work_is_seen() -> None:
    """A tenth of a second of it is something, and no more than all."""
    load = MachineLoad()
    until_s = time.monotonic() + 0.1
    while time.monotonic() < until_s:
        pass
    assert 0 < load.busy() <= 1


def test_idle_and_waiting_for_disks_is_not_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 of 100 units were work."""
    stat = tmp_path / "stat"
    monkeypatch.setattr(machine, "_STAT", stat)
    stat.write_text("cpu  100 0 100 1000 50 0 0 0 0 0\ncpu0 1 2\n")
    load = MachineLoad()
    stat.write_text("cpu  110 0 110 1070 60 0 0 0 0 0\n")
    assert load.busy() == pytest.approx(0.2)


def test_where_the_system_does_not_tell_it_is_nought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No remark is made of it."""
    monkeypatch.setattr(machine, "_STAT", tmp_path / "none")
    assert MachineLoad().busy() == 0
