"""How every verb that simulates ends."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.simulation.workers import WorkersError
from loadtests.verb import BAD_INPUT, FAILED, INTERRUPTED, give_up
from reports.stopping import stops_like_ctrl_c


@contextmanager
def ends_well(verb: str, errors: Console) -> Iterator[None]:
    """What goes wrong in it ends the verb with one line a mistake, and the exit code for it.

    Being told to stop is a `KeyboardInterrupt`, in whatever way it is told; one that comes out here
    left nothing behind.
    """
    try:
        with stops_like_ctrl_c():
            yield
    except KeyboardInterrupt:
        errors.print("stopped: nothing was written")
        raise typer.Exit(INTERRUPTED) from None
    except ValueError as error:
        give_up(verb, errors, error, BAD_INPUT)
    except (PolicyError, WorkersError, OSError) as error:
        give_up(verb, errors, error, FAILED)
