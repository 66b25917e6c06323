"""A distribution as files, whole or not at all."""

import shutil
from pathlib import Path

from loadtests.rundir import make_run_dir
from loadtests.simulation.distribution.html import HTML_NAME, to_html
from loadtests.simulation.distribution.summary import Distribution
from loadtests.simulation.distribution.to_json import JSON_NAME, to_json
from reports.rendering.files import write_whole


def write_distribution(found: Distribution, runs_dir: Path, epoch_s: float) -> Path:
    """Write `distribution.json` and `distribution.html` into a new folder, which is returned.

    Whatever comes between leaves no folder. Raises `OSError`.
    """
    page, text = to_html(found), to_json(found)
    folder = make_run_dir(runs_dir, epoch_s)
    try:
        write_whole(folder / JSON_NAME, text)
        write_whole(folder / HTML_NAME, page)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # it is new, and all that is in it is ours
        raise
    return folder
