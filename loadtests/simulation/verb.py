"""What every verb that simulates does alike: how it ends, and what it says when it cannot go on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from loadtests.policies.request import PolicyError
from loadtests.simulation.workers import WorkersError
from reports.stopping import stops_like_ctrl_c

FAILED, BAD_INPUT, NOT_VALID, INTERRUPTED = 1, 2, 3, 130
"""Exit codes."""


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
        complain(verb, errors, error)
        raise typer.Exit(BAD_INPUT) from None
    except (PolicyError, WorkersError, OSError) as error:
        complain(verb, errors, error)
        raise typer.Exit(FAILED) from None


def complain(verb: str, errors: Console, error: Exception) -> None:
    """One line a mistake, however long: what reads it may be a program."""
    for line in str(error).splitlines():
        said = f"aftershock {verb}: {line}"
        errors.print(said, style="red", markup=False, highlight=False, soft_wrap=True)


def note(errors: Console, remarks: Iterable[str]) -> None:
    """What is to be known beside the result: a line each, broken in a terminal alone."""
    whole = not errors.is_terminal
    for remark in remarks:
        errors.print(f"note: {remark}", markup=False, highlight=False, soft_wrap=whole)
