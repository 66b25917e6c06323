"""urllib3's own retries and our preset of them, side by side under one dip: the same load."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from reports.reading import read_record
from tests.loadtests.test_run_live import run

OURS = "urllib3-2:total=3,backoff_factor=100ms,status_forcelist=503"
THEIRS = "opaque-urllib3:total=3,backoff_factor=100ms,status_forcelist=503"


@pytest.mark.live
def test_urllib3_and_our_preset_of_it_give_the_same_load(tmp_path: Path) -> None:
    """Tick by tick as metered by the target, to what a stall of the machine moves.

    A dip to 20% for 1 s turns most of 95 requests away; each comes back after 0, 200 and 400 ms.
    """
    done = run(
        tmp_path,
        *("--policy", OURS, "--policy", THEIRS),
        *("--warm-up", "2s", "--dip", "20% for 1s", "--observation", "3s"),
    )
    assert done.returncode in (0, 3), done.stderr  # 3: a busy machine may make it not valid
    [folder] = (tmp_path / "runs").iterdir()
    record = read_record(folder)
    ours, theirs = (next(lane for lane in record.lanes if lane.lane == n) for n in (OURS, THEIRS))
    assert (ours.opaque, theirs.opaque) == (False, True)
    sent, metered = int(ours.offered.sum()), int(theirs.offered.sum())
    assert sent > 1.2 * int(ours.bins.issued.sum())  # there was a storm to compare
    assert abs(sent - metered) < 0.05 * sent
    # Half seconds: which attempts of a tick are admitted is chance, and moves some by a tick.
    differences = np.abs(halves(ours.offered) - halves(theirs.offered))
    assert differences.sum() < 0.15 * sent


def halves(offered: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Attempts in each half second."""
    whole = offered[: len(offered) // 5 * 5]
    sums: npt.NDArray[np.int64] = whole.reshape(-1, 5).sum(axis=1)
    return sums
