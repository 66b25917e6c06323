"""The `aftershock` command: runs the verb that is asked for, nothing else."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        # Here and not above: importing takes long enough to be stopped in the middle of it.
        from aftershock_verbs import app_for  # noqa: PLC0415

        app_for(sys.argv[1:])()
    except KeyboardInterrupt:
        sys.stderr.write("stopped before it began\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
