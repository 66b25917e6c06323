"""Each format's durations, and what each does not take."""

from collections.abc import Callable

import pytest

from loadtests.imports.durations import go_s, linkerd_s, protobuf_s, spring_s


@pytest.mark.parametrize(
    ("parse", "text", "seconds"),
    [
        (protobuf_s, "0.1s", 0.1),
        (protobuf_s, ".1s", 0.1),
        (protobuf_s, "0s", 0.0),
        (protobuf_s, "1s", 1.0),
        (protobuf_s, "3.000000001s", 3.000000001),
        (go_s, "25ms", 0.025),
        (go_s, "9ms", 0.009),
        (go_s, "1m30s", 90.0),
        (go_s, "1h2m3.5s", 3723.5),
        (go_s, "1.5h", 5400.0),
        (go_s, "100us", 0.0001),
        (go_s, "100µs", 0.0001),
        (go_s, "7ns", 7e-9),
        (go_s, "0", 0.0),
        (go_s, "+2s", 2.0),
        (linkerd_s, "400ms", 0.4),
        (linkerd_s, " 10s ", 10.0),
        (linkerd_s, "2h", 7200.0),
        (linkerd_s, "1d", 86400.0),
        (linkerd_s, "0", 0.0),
        (spring_s, "500ms", 0.5),
        (spring_s, "500", 0.5),
        (spring_s, "2s", 2.0),
        (spring_s, "250us", 0.00025),
        (spring_s, "1D", 86400.0),
        (spring_s, "PT0.5S", 0.5),
        (spring_s, "pt1m30s", 90.0),
        (spring_s, "P1DT2H", 93600.0),
        (spring_s, "PT1,5S", 1.5),
    ],
)
def test_durations_are_read(parse: Callable[[str], float], text: str, seconds: float) -> None:
    """To the number that the text says, not one beside it."""
    assert parse(text) == seconds


def test_springs_plain_numbers_are_milliseconds() -> None:
    """As in ``waitDuration: 500``."""
    assert spring_s(500) == 0.5


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        (
            protobuf_s,
            ["", "s", ".s", "1", "100ms", "-1s", "1.5.0s", "1s ", "1e3s", "99999999999999s"],
        ),
        (protobuf_s, ["0.1234567891s", "\u0661s", "inf s", "nans"]),
        (
            go_s,
            ["", "1", "1x", "ms", "-1s", "1s2", "1 s", ".s", "1m 30s", "9" * 300 + "s", "\u0661s"],
        ),
        (linkerd_s, ["", "1", "1.5s", "1m30s", "ms", "-1s", "1us", "9" * 99]),
        (
            spring_s,
            ["", "P", "PT", "P1", "PT1", "1.5s", "1 s", "-1s", "P1Y", "1w", "PT1H2", "P1DT"],
        ),
    ],
)
def test_what_is_no_duration_is_refused(parse: Callable[[str], float], texts: list[str]) -> None:
    """Also what other formats would take, and digits that are not ASCII's."""
    for text in texts:
        with pytest.raises(ValueError, match="as in"):
            parse(text)
