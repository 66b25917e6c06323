"""``python -m loadtests.gateway``: the same as ``aftershock gateway``."""

import typer

from loadtests.gateway.cli import gateway

if __name__ == "__main__":
    typer.run(gateway)
