"""A live run and the simulation of its scenario agree: the five policies of article 000."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loadtests.live import LIMIT_S
from tests.real import too_busy
from tests.target_service.live import clean_environment

pytestmark = pytest.mark.live

SHARE, PEAK_PER_S, SETTLED_S = 0.15, 20.0, 1.0
"""How far a peak may be off: two attempts of a tick are what a stall of 20 ms makes of the load."""
SETTLED_SHARE = 0.2
LATE_MS = 20.0
"""Where attempts left or came later than this, the load was another than what is simulated."""

Values = dict[str, object]


def aftershock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aftershock", *arguments],
        cwd=folder,
        env=clean_environment(COLUMNS="80"),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def near(value: float | None, low: float, high: float | None, share: float, least: float) -> bool:
    """Whether a figure is in the range of the predictions, or off by a share or by the least."""
    if value is None or high is None:
        return value is high
    below, above = max(share * low, least), max(share * high, least)
    return low - below <= value <= high + above


def test_live_and_simulated_agree(tmp_path: Path) -> None:
    """Peaks within 15%, settled within 1 s or 20%, of what 20 seeds predict; totals too."""
    ran = aftershock(tmp_path, "run", "--warm-up", "6s", "--observation", "16s", "--out", "runs")
    assert ran.returncode in (0, 3), ran.stderr
    [folder] = (tmp_path / "runs").iterdir()
    shown = aftershock(tmp_path, "report", str(folder), "--predicted")
    assert shown.returncode in (0, 3), shown.stderr
    report = json.loads((folder / "report.json").read_text())
    health = report["health"]
    late_ms = max(health["generator_late_p99_ms"], health["target_late_p99_ms"])
    if not report["valid"] or late_ms > LATE_MS:
        too_busy(f"{'; '.join(report['invalid_because'])} attempts were {late_ms:.0f} ms late")
    measured = {policy["lane"]: policy for policy in report["policies"]}
    predicted = {policy["lane"]: policy for policy in report["prediction"]["policies"]}
    assert measured.keys() == predicted.keys()
    for lane, policy in measured.items():
        peak, settled = predicted[lane]["peak_per_s"], predicted[lane]["settled_s"]
        told = f"{lane}: {policy}, predicted {predicted[lane]}"
        assert near(policy["peak_per_s"], peak["low"], peak["high"], SHARE, PEAK_PER_S), told
        value, low, high = policy["settled_s"], settled["low"], settled["high"]
        assert near(value, low, high, SETTLED_SHARE, SETTLED_S), told
        failed, attempts = predicted[lane]["failed"], predicted[lane]["attempts"]
        assert near(policy["failed"], failed["low"], failed["high"], 0.1, 0.0), told
        assert near(policy["attempts"], attempts["low"], attempts["high"], 0.05, 0.0), told
