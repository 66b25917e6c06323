"""The folder of a run: `runs/<id>/`, the id being the time at which the run began."""

import os
import time
from pathlib import Path

MAX_RUNS_A_SECOND = 1000


def check_out(out: Path) -> None:
    """Raises `ValueError` where there can be no folder `out`: before all is played for nothing."""
    there = next((path for path in (out, *out.absolute().parents) if path.exists()), out)
    if not there.is_dir():
        raise ValueError(f"--out: {out}: {there} is a file: expected a folder")
    # Of /proc root is told that it may write.
    if not os.access(there, os.W_OK | os.X_OK) or there.is_relative_to("/proc"):
        raise ValueError(f"--out: {out}: {there} cannot be written to: expected a folder that can")


def make_run_dir(runs_dir: Path, epoch_s: float) -> Path:
    """A new folder in `runs_dir`, named by the time in UTC; a number is added where there is one.

    Raises `OSError` when it cannot be made.
    """
    runs_dir.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(epoch_s))
    for number in range(1, MAX_RUNS_A_SECOND):
        directory = runs_dir / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            directory.mkdir()
        except FileExistsError:
            continue
        return directory
    raise FileExistsError(f"{runs_dir}: {MAX_RUNS_A_SECOND} runs began in one second")
