"""A live run and the simulation of its scenario agree: the five policies of article 000."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.loadtests.live import LIMIT_S
from tests.real import too_busy
from tests.target_service.live import clean_environment

pytestmark = [pytest.mark.live, pytest.mark.alone]

TOLERANCES = {
    "peak_per_s": (0.15, 20.0),
    "settled_s": (0.2, 1.0),
    "failed": (0.1, 0.0),
    "attempts": (0.05, 0.0),
}
"""How far a figure may be off the range of the predictions: by this share, or this much.

Of a peak that is two attempts of a tick, which a stall of 20 ms makes of the load.
"""
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
    assert disagreements(report) == []


def disagreements(report: Values) -> list[str]:
    """The lanes whose figures are not near what is predicted of them."""
    measured = by_lane(report)
    predicted = by_lane(cast("Values", report["prediction"]))
    assert measured.keys() == predicted.keys()
    return [
        f"{lane}: {name}: {measured[lane][name]}, predicted {predicted[lane][name]}"
        for lane in measured
        for name, (share, least) in TOLERANCES.items()
        if not near(measured[lane][name], cast("Values", predicted[lane][name]), share, least)
    ]


def by_lane(values: Values) -> dict[object, Values]:
    return {policy["lane"]: policy for policy in cast("list[Values]", values["policies"])}


def near(value: object, predicted: Values, share: float, least: float) -> bool:
    """Whether a figure is in the range of the predictions, or off by a share or by the least."""
    low, high = predicted["low"], predicted["high"]
    if not isinstance(value, float | int):
        return high is None
    below = isinstance(low, float | int) and value < low - max(share * low, least)
    above = isinstance(high, float | int) and value > high + max(share * high, least)
    return low is not None and not below and not above
