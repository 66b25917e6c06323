"""The few figures that are told of many samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.statistics.summary import summarise
from reports.statistics.value import Value
from tests.reports.statistics.strategies import UNHURRIED, VALUES


def test_ten_of_which_three_did_not_recover() -> None:
    """They are counted, and stand above all others."""
    samples = [Value(amount) for amount in (4, 1, 2, 7, 5, 3, 6)] + [Value(30, late=True)] * 3
    found = summarise(samples)
    assert (found.n, found.late) == (10, 3)
    assert (found.least, found.p05, found.median) == (Value(1), Value(1), Value(5.5))
    assert found.p95 == found.most == Value(30, late=True)
    assert found.interval == (Value(2), Value(30, late=True))


@UNHURRIED
@given(st.lists(VALUES, min_size=1, max_size=12))
def test_the_figures_are_in_order(samples: list[Value]) -> None:
    """Whatever is late."""
    found = summarise(samples)
    if found.late < found.n:
        assert found.least <= found.p05
    assert found.p05 <= found.median <= found.p95 <= found.most


@pytest.mark.parametrize(
    ("samples", "alike"),
    [
        ([Value(0)] * 6, True),
        ([Value(2)], True),
        ([Value(9, late=True)] * 3, True),
        ([Value(0), Value(1)], False),
        ([Value(1), Value(9, late=True)], False),
        ([Value(1, late=True), Value(9)], False),
        ([Value(9), Value(9, late=True)], False),
        ([Value(1, late=True), Value(9, late=True)], False),
    ],
)
def test_alike_is_one_value_all_over(samples: list[Value], alike: bool) -> None:
    """Late ones that were watched for as long are."""
    assert summarise(samples).alike is alike


def test_one_for_all_has_an_interval_without_width() -> None:
    """Six that are the same."""
    assert summarise([Value(0)] * 6).interval == (Value(0), Value(0))


def test_nothing_cannot_be_summed_up() -> None:
    """It raises, and says what is allowed."""
    with pytest.raises(ValueError, match="no samples: expected at least 1"):
        summarise([])
