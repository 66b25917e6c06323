"""Durations, rates and shares are read as people write them, or refused with an example."""

from collections.abc import Callable
from random import Random

import pytest

from aftershock_units import (
    format_duration,
    format_number,
    format_rate,
    parse_count,
    parse_duration_s,
    parse_factor,
    parse_multiple,
    parse_rate_per_s,
    parse_share,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2s", 2.0), ("500ms", 0.5), (" 1.5 m ", 90.0), ("1h", 3600.0), ("0s", 0.0)],
)
def test_a_duration_has_a_unit(text: str, seconds: float) -> None:
    """A bare number could be anything."""
    assert parse_duration_s(text) == seconds


def test_rates_are_per_second_and_shares_in_percent() -> None:
    """With or without spaces."""
    assert (parse_rate_per_s("100/s"), parse_rate_per_s("9.5 / s")) == (100.0, 9.5)
    assert (parse_share("20%"), parse_share(" 0 %"), parse_share("100%")) == (0.2, 0.0, 1.0)


def test_counts_are_whole_and_factors_may_have_their_x() -> None:
    """What is a multiple of something has to have it."""
    assert (parse_count("120"), parse_count(" 0 ")) == (120.0, 0.0)
    assert (parse_factor("1.2"), parse_factor("1.2 x"), parse_factor("3×")) == (1.2, 1.2, 3.0)
    assert (parse_multiple("3x"), parse_multiple(" 0.5 ×")) == (3.0, 0.5)


@pytest.mark.parametrize("parse", [parse_count, parse_factor, parse_multiple])
@pytest.mark.parametrize("text", ["", "x", "-1", "-1x", "1e3", "1,5", "5%", "3xx", "٣", "9" * 33])
def test_what_is_none_of_these_is_refused_with_an_example(
    parse: Callable[[str], float], text: str
) -> None:
    with pytest.raises(ValueError, match="as in"):
        parse(text)


@pytest.mark.parametrize("parse", [parse_duration_s, parse_rate_per_s, parse_share])
@pytest.mark.parametrize(
    "text",
    ["", "2", "s", "-1s", "-5/s", "-1%", "nan/s", "inf s", "1e3/s", "20/m", "101%", "1,5s",
     "9" * 400, "9" * 31 + "s" * 9, "٣s", "20/s\x00", "2 s 3"],
)  # fmt: skip
def test_anything_else_is_refused_with_an_example(parse: Callable[[str], float], text: str) -> None:
    """And without repeating more than 32 characters of it."""
    with pytest.raises(ValueError, match=r'as in "|%') as caught:
        parse(text)
    assert len(str(caught.value)) < 160


def test_what_is_printed_is_read_as_the_same_number() -> None:
    """To the ninth decimal, for any size that makes sense."""
    rng = Random(1)
    for _ in range(2000):
        value = round(10 ** rng.uniform(-6, 5), 9)
        assert parse_duration_s(format_duration(value)) == value
        assert parse_rate_per_s(format_rate(value)) == value


def test_a_number_for_people_has_three_decimals_at_most() -> None:
    """And no zeros at its end."""
    assert [format_number(value) for value in (2.0, 0.125, 1 / 3, 100.0)] == [
        "2", "0.125", "0.333", "100",
    ]  # fmt: skip
