"""The `aftershock` command: mounts the verbs of each package, nothing else."""


def main() -> None:
    """Run the command line."""
