"""Which run is meant where none is named."""

from pathlib import Path

from reports.reading.lines import RecordError
from reports.record import RECORD_NAME
from reports.rendering.study.to_json import JSON_NAME as STUDY

RUNS = Path("runs")


def newest_run(runs: Path) -> Path:
    """The folder in `runs` whose record was written last.

    Raises `RecordError` without any, and where a distribution was written later: of the runs in it
    there is no record, and an older run is not what is meant.
    """
    records = sorted(runs.glob(f"*/{RECORD_NAME}"), key=lambda path: path.stat().st_mtime)
    if not records:
        raise RecordError(f"no run found in {runs}/: name one, or make one with `aftershock run`")
    newest = records[-1]
    for study in runs.glob(f"*/{STUDY}"):
        if (
            study.stat().st_mtime > newest.stat().st_mtime
            and not study.with_name(RECORD_NAME).exists()
        ):
            raise RecordError(
                f"{study.parent} is newer than {newest.parent} and holds no record: "
                "name the run that is meant"
            )
    return newest.parent
