"""Writes the schemas of `report.json` and `distribution.json`, and the tables in `docs/report.md`.

    python -m reports.rendering.schema docs

A test fails when what stands in the docs is not what this makes.
"""

import sys
from pathlib import Path

from reports.rendering.schema.pages import files

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, made in files(folder).items():
        (folder / name).write_text(made, encoding="utf-8")
