"""Figures as people read them."""

import pytest

from loadtests.audit import words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 ms"),
        (0.0004, "0.4 ms"),
        (0.00094, "0.9 ms"),
        (0.00096, "1 ms"),
        (0.08, "80 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (75.0, "75 s"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    """No rounding makes 1000 ms or 10.0 s."""
    assert words.duration(seconds) == text


def test_numbers_of_times() -> None:
    """In words up to twelve."""
    assert [words.times(number) for number in (1, 2, 3, 12, 13, 1200)] == [
        "once",
        "twice",
        "three times",
        "twelve times",
        "13 times",
        "1,200 times",
    ]


def test_lists() -> None:
    """With a comma before the last but one."""
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b"]) == "a and b"
    assert words.listing(["a", "b", "c"], "or") == "a, b or c"


def test_intervals() -> None:
    """The first three, in one unit."""
    assert words.intervals([]) == "–"
    assert words.intervals([0.025]) == "25 ms"
    assert words.intervals([0.0004, 0.05, 0.1]) == "0.4, 50, 100 ms"
    assert words.intervals([0.025, 0.05, 0.1, 2.0]) == "25, 50, 100 ms, …"
    assert words.intervals([0.025, 1.2]) == "0.03, 1.20 s"
    assert words.intervals([0.9999]) == "1.00 s"


def test_nothing_that_a_terminal_obeys_is_printed() -> None:
    """And not too much of it."""
    assert words.printable("a\x1b[2Jb\nc") == "a�[2Jb�c"
    assert words.printable("a" * 200, 3) == "aaa…"
