"""Headers from the command line: what is wrong is told, and never a value."""

import pytest

from loadtests.header_lines import parse_headers

OURS = frozenset({"content-length", "x-aftershock-lane"})


def test_headers_are_read() -> None:
    """As curl takes them; of one that is repeated, the last."""
    lines = ["Host: a.example", "X-Key:  b:c ", "Empty:", "Tabs:\ta\tb", "X-Key: d"]
    assert parse_headers("header", lines, OURS) == {
        "Host": "a.example",
        "X-Key": "d",
        "Empty": "",
        "Tabs": "a\tb",
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("secret", "header: one without a colon: expected"),
        (": secret", "header: the one named '' is none: expected"),
        ("a b: secret", "header: the one named 'a b' is none: expected"),
        ("a: secret\r\nx: y", "header: the one named 'a' is none: expected"),
        ("a: secret\x00", "header: the one named 'a' is none: expected"),
        ("a: sécret", "header: the one named 'a' is none: expected"),
        ("X-Aftershock-Lane: secret", "header: X-Aftershock-Lane is set by the sender itself"),
        ("Content-Length: secret", "header: Content-Length is set by the sender itself"),
    ],
)
def test_what_is_no_header_is_refused_without_its_value(line: str, said: str) -> None:
    """It may be a token."""
    with pytest.raises(ValueError, match=r"^header: ") as refused:
        parse_headers("header", [line], OURS)
    assert str(refused.value).startswith(said)
    assert "secret" not in str(refused.value)
    assert "sécret" not in str(refused.value)


def test_there_may_be_so_many() -> None:
    """50, and none of the others is looked at."""
    assert parse_headers("header", ["A: b"] * 50, OURS) == {"A": "b"}
    with pytest.raises(ValueError, match="header: expected at most 50 of them"):
        parse_headers("header", ["A: b"] * 51, OURS)
