"""What the options of the verbs are read as, and what is said to what they cannot be."""

import pytest
import typer

from faults.options import whole_number


@pytest.mark.parametrize("text", ["x", "2.5", "", "1e3"])
def test_what_is_no_whole_number_is_named(text: str) -> None:
    """In our words; Typer's own are those of the library that it reads numbers by."""
    with pytest.raises(typer.BadParameter, match="is not a whole number"):
        whole_number(text)


def test_a_whole_number_is_read_as_it_is() -> None:
    """Which numbers are allowed is said where they are used."""
    assert (whole_number("5"), whole_number("-1")) == (5, -1)
