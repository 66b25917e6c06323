"""The folder of a run: `runs/<id>/`, the id being the time at which the run began."""

import time
from pathlib import Path

MAX_RUNS_A_SECOND = 1000


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
