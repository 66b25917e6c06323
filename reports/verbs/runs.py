"""Which run is meant where none is named."""

from pathlib import Path

from reports.reading.lines import RecordError
from reports.record import RECORD_NAME

RUNS = Path("runs")


def newest_run(runs: Path) -> Path:
    """The folder in `runs` whose record was written last. Raises `RecordError` without any."""
    records = runs.glob(f"*/{RECORD_NAME}")
    newest = max(records, key=lambda path: path.stat().st_mtime, default=None)
    if newest is None:
        raise RecordError(f"no run found in {runs}/: name one, or make one with `aftershock run`")
    return newest.parent
