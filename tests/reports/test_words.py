"""Figures in words: as many digits as say something, and the unit once."""

import pytest

from reports.rendering import words
from reports.rendering.cells import span


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0%"),
        (0.000004, "< 0.001%"),
        (0.0004, "0.04%"),
        (0.031, "3.1%"),
        (0.12, "12%"),
        (0.41349, "41.3%"),
        (0.9994, "99.9%"),
        (0.9996, "100%"),
        (1.0, "100%"),
    ],
)
def test_a_share_has_a_digit_or_two_that_say_something(share: float, said: str) -> None:
    assert words.share(share) == said


@pytest.mark.parametrize(
    ("low", "high", "joint", "said"),
    [
        ("4.4 s", "5.6 s", "–", "4.4–5.6 s"),
        ("90/s", "1,200/s", "–", "90–1,200/s"),
        ("1.10×", "1.20×", " to ", "1.10 to 1.20×"),
        ("0.4%", "3.1%", "–", "0.4–3.1%"),
        ("4.1 s", "> 28 s", " to ", "4.1 to > 28 s"),
        ("3", "7", "–", "3–7"),
        ("4.9 s", "4.9 s", "–", "4.9 s"),
        ("0%", "< 0.001%", "–", "0–< 0.001%"),
    ],
)
def test_two_figures_have_their_unit_once(low: str, high: str, joint: str, said: str) -> None:
    assert span(low, high, joint) == said
