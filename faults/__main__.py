"""``python -m faults``: the same as ``aftershock dip``."""

import typer

from faults.cli import dip

if __name__ == "__main__":
    typer.run(dip)
