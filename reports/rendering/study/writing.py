"""A study as files, each whole or not at all."""

from pathlib import Path

from reports.rendering.files import write_whole
from reports.rendering.study.html import HTML_NAME, to_html
from reports.rendering.study.to_json import JSON_NAME, to_json
from reports.several.study import Study


def write_study(study: Study, folder: Path) -> None:
    """Write `distribution.json` and `distribution.html` into `folder`. Raises `OSError`."""
    page, text = to_html(study), to_json(study)
    write_whole(folder / JSON_NAME, text)
    write_whole(folder / HTML_NAME, page)
