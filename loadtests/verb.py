"""What verbs do alike: their exit codes, and what they say beside their result."""

from collections.abc import Iterable
from typing import NoReturn

import typer
from rich.console import Console

FAILED, BAD_INPUT, NOT_VALID, INTERRUPTED = 1, 2, 3, 130
"""Exit codes."""


def complain(verb: str, errors: Console, error: Exception) -> None:
    """One line a mistake, however long: what reads it may be a program."""
    for line in str(error).splitlines():
        said = f"aftershock {verb}: {line}"
        errors.print(said, style="red", markup=False, highlight=False, soft_wrap=True)


def give_up(verb: str, errors: Console, error: Exception, code: int) -> NoReturn:
    """Say what is wrong, and leave with this exit code."""
    complain(verb, errors, error)
    raise typer.Exit(code) from None


def note(errors: Console, remarks: Iterable[str]) -> None:
    """What is to be known beside the result: a line each, broken in a terminal alone."""
    whole = not errors.is_terminal
    for remark in remarks:
        errors.print(f"note: {remark}", markup=False, highlight=False, soft_wrap=whole)
