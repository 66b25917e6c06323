"""Writes the schema of `report.json`, and the tables of fields and measures in `docs/report.md`.

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
