"""``python -m target_service``: the same as ``aftershock serve``."""

import typer

from target_service.cli import serve

if __name__ == "__main__":
    typer.run(serve)
