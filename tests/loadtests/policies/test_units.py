"""Durations and sets as the formulas show them."""

import pytest

from loadtests.policies.units import listing


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], "nothing"),
        ([503, 429], "429, 503"),
        ([502, 503, 504, 429], "429, 502, 503, 504"),
        (range(500, 600), "500–599"),
        ({429, *range(500, 600)} - {501}, "429, 500, 502–599"),
        (["timeout", "reset"], "reset, timeout"),
    ],
)
def test_a_long_run_of_statuses_is_shown_as_a_range(items: list[object], text: str) -> None:
    """A hundred numbers in a row would hide what stands beside them."""
    assert listing(items) == text
