"""The groups in which the tests run: every test is in one, and in one only."""

import re
from itertools import product
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"
MARKERS = ("live", "alone", "compose", "browser")
GROUPS = [
    group.strip('"') for group in re.findall(r'-m pytest -m ("[^"]+"|\w+)', MAKEFILE.read_text())
]


def test_there_are_four() -> None:
    """Those of `make test`, and that of `make test-compose`."""
    assert len(GROUPS) == 4


@pytest.mark.parametrize("marked", list(product((False, True), repeat=len(MARKERS))))
def test_a_test_runs_once_whatever_its_markers(marked: tuple[bool, ...]) -> None:
    """None twice and none not at all."""
    has = dict(zip(MARKERS, marked, strict=True))
    runs_in = [group for group in GROUPS if eval(group, {}, has)]  # noqa: S307 - our own Makefile
    assert len(runs_in) == 1, runs_in


def test_no_other_marker_chooses() -> None:
    """So that what is looked at above is all there is."""
    words = {word for group in GROUPS for word in re.findall(r"\w+", group)}
    assert words - {"not", "and", "or"} <= set(MARKERS)
