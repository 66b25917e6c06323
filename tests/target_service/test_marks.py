"""What an attempt says of itself: priority and deadline. Its number is tested with the gate."""

import pytest

from target_service.marks import deadline_s, priority, read_marks

NOW_S, EPOCH_S = 100.0, 1_796_033_700.0


@pytest.mark.parametrize(
    ("said", "number"),
    [(None, 3), (b"0", 0), (b"7", 7), (b"8", 3), (b"-1", 3), (b"urgent", 3), (b"", 3)],
)
def test_a_priority_that_makes_no_sense_is_that_of_most(said: bytes | None, number: int) -> None:
    """0 is the most urgent, 7 the least."""
    assert priority({} if said is None else {b"x-priority": said}) == number


@pytest.mark.parametrize(
    ("marks", "expected_s"),
    [
        ({}, None),
        ({b"x-deadline": b"1796033702"}, 102.0),
        ({b"x-deadline": b"1796033702.25"}, 102.25),
        ({b"x-deadline": b"1796033702.250000000000000000"}, 102.25),
        ({b"x-deadline": b"1796033690"}, 90.0),
        ({b"x-deadline": b"soon"}, None),
        ({b"x-deadline": b"1e9"}, None),
        ({b"x-deadline": b"-1"}, None),
        ({b"x-deadline": b"1" * 41}, None),
        ({b"grpc-timeout": b"250m"}, 100.25),
        ({b"grpc-timeout": b"2S"}, 102.0),
        ({b"grpc-timeout": b"1M"}, 160.0),
        ({b"grpc-timeout": b"1H"}, 3700.0),
        ({b"grpc-timeout": b"S"}, None),
        ({b"grpc-timeout": b"2s"}, None),
        ({b"grpc-timeout": b"1S", b"x-deadline": b"1796033702"}, 101.0),
    ],
)
def test_the_earlier_deadline_holds_and_nonsense_is_none(
    marks: dict[bytes, bytes], expected_s: float | None
) -> None:
    """On the clock of the target."""
    found = deadline_s(marks, NOW_S, EPOCH_S)
    assert found == (None if expected_s is None else pytest.approx(expected_s, abs=1e-6))


def test_blanks_around_a_value_are_no_part_of_it() -> None:
    """Some parsers leave them there."""
    assert read_marks([(b"x-aftershock-lane", b"a b \t"), (b"other", b"x")]) == {
        b"x-aftershock-lane": b"a b"
    }
