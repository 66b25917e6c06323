"""How a verb ends: its exit code, and the line that says why it cannot go on."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from reports.judging.gate.verdict import Verdict
from reports.rendering import words
from reports.several.study import Study
from reports.summary import Report

GOOD, WORSE, BAD_INPUT, NOT_VALID, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes; 1 for a limit that is not kept as well."""


def give_up(verb: str, message: str, code: int = BAD_INPUT) -> NoReturn:
    """Say in one line why the verb cannot go on, and leave."""
    typer.echo(f"aftershock {verb}: {words.printable(message)}", err=True)
    raise typer.Exit(code)


def stopped(what: str) -> NoReturn:
    """Leave after Ctrl-C; `what` says what is there: ``nothing was written``."""
    typer.echo(f"stopped: {what}", err=True)
    raise typer.Exit(INTERRUPTED)


@contextmanager
def telling(verb: str) -> Iterator[None]:
    """Where a result is printed: who reads no further changes no exit code, a full disk does."""
    try:
        yield
        sys.stdout.flush()
    except SystemExit:
        return  # rich, whose reader has gone: nothing else in it leaves so
    except OSError as error:
        # What is left to be written would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            give_up(verb, f"the output cannot be written: {error.strerror or error}")


def exit_code(found: Report) -> int:
    """0 for a valid result, 3 for one that is not, 2 for a run without anything to recover from.

    Nothing may have disturbed a run that goes on: it is judged by what there is.
    """
    if not found.disturbed and not found.going_on:
        return BAD_INPUT
    return GOOD if found.valid else NOT_VALID


def study_exit_code(study: Study) -> int:
    """0 for a valid result, 3 where no run counts under some condition, 2 if nothing happened."""
    if not study.disturbed:
        return BAD_INPUT
    return GOOD if study.valid else NOT_VALID


def played_exit_code(found: int, verdict: Verdict | None) -> int:
    """Of a verb that made runs: what was `found` of them, or else 1 where a limit is not kept."""
    return found or (WORSE if verdict is not None and verdict.broken else GOOD)
