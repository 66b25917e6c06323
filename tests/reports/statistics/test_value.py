"""A value, and how late ones sort."""

import math

import pytest

from reports.statistics.value import Value


def test_a_late_one_sorts_after_an_equal_one_that_came_about() -> None:
    """By amount first."""
    found = sorted([Value(2, late=True), Value(2), Value(3), Value(1, late=True)])
    assert found == [Value(1, late=True), Value(2), Value(2, late=True), Value(3)]


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf])
def test_an_amount_is_finite(amount: float) -> None:
    """What did not come about is late, and not infinite."""
    with pytest.raises(ValueError, match="expected a finite amount"):
        Value(amount)
