"""A study as files, each whole or not at all."""

from pathlib import Path

from reports.rendering.files import write_together
from reports.rendering.study.html import HTML_NAME, to_html
from reports.rendering.study.to_json import JSON_NAME, to_json
from reports.several.study import Study


def write_study(study: Study, folder: Path) -> None:
    """Write `distribution.json` and `distribution.html` into `folder`. Raises `OSError`."""
    write_together({folder / JSON_NAME: to_json(study), folder / HTML_NAME: to_html(study)})
