"""A standard output that nobody reads, or that has no room."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from aftershock_verbs import app_for


@contextmanager
def printing_to(handle: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All that is printed goes to this descriptor, which is closed after that."""
    with os.fdopen(handle, "w") as file, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", file)
        yield


@contextmanager
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All that is printed goes to a pipe whose reader has gone, as of ``| head -1``."""
    reading, writing = os.pipe()
    os.close(reading)
    with printing_to(writing, monkeypatch):
        yield


def ended(arguments: Sequence[str]) -> object:
    """How the verb with its arguments ends: its exit code."""
    with pytest.raises(SystemExit) as end:
        app_for(arguments)(arguments)
    return end.value.code
