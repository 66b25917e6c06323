"""Makes reports: in a process that gives way to the load, one at a time, within a time limit."""

import os
import threading
from pathlib import Path

from gevent import subprocess

from loadtests.control_room.recorded.niced import niced

LIMIT_S = 30.0
ONE_THREAD = {**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""It must not take every core of a machine that sends load."""

_one = threading.Lock()


class NoReportError(Exception):
    """There is no report; the message is a sentence."""


def make_report(run: Path, folder: Path, *options: str) -> str:
    """Write the report of the run in one folder into another; what was said when it was not made.

    `options` are more of `python -m reports`. Raises `NoReportError` after `LIMIT_S`. It exits with
    other than 0 for results that are not valid, too: the page says so itself.
    """
    command = niced("reports", run, "--to", folder, *options)
    with _one:
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
                env=ONE_THREAD,
            )
        except subprocess.TimeoutExpired:
            raise NoReportError(f"the report took longer than {LIMIT_S:.0f} s") from None
    said: str = done.stderr.strip()
    return said.removeprefix("aftershock report: ")[-500:]
