"""A service that fails by itself in the middle of a run, told from what a gate turns away."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reports.record import Fault, Line, Tick
from reports.summary import Report
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_validity import judge, only_reason

GOOD = Made([Shape("a", plain(storm(30))), Shape("b", plain([9] * 420))])
DIP = Fault("dip", "dip-1", 10.0, 12.0, "20/s")


def down(seconds: tuple[float, float], share: float = 1.0, faults: Sequence[Fault] = ()) -> Report:
    """The good run with an outage of lane `b`, in which this share of what it answers fails."""

    def fail(line: Line) -> Line:
        if not isinstance(line, Tick) or line.lane != "b":
            return line
        if not seconds[0] - 1e-6 <= line.t_s < seconds[1] - 1e-6:
            return line
        return replace(line, failed=[round(share * count) for count in line.completed])

    return judge(GOOD.but(dips=(DIP, *faults)), fail)


def test_an_outage_of_the_service_is_no_part_of_a_recovery() -> None:
    """It is a disturbance that nobody planned: its place and its size are told."""
    assert only_reason(down((15.0, 17.0))) == (
        "the service failed by itself: 180 attempts had no answer of it, or half of one, between "
        "+3.0 s and +5.0 s from the end of the dip, and no fault was planned there"
    )


@pytest.mark.parametrize(
    ("seconds", "share", "valid"),
    [
        ((15.0, 15.1), 0.5, True),  # four: connections that closed just then
        ((15.0, 30.0), 0.2, False),
        ((0.0, 42.0), 0.2, True),  # as always: not of the run's doing
        ((5.0, 8.0), 1.0, True),  # over before anything was disturbed
        ((5.0, 30.0), 1.0, False),
    ],
)
def test_what_counts_is_beyond_chance_and_beyond_what_is_usual(
    seconds: tuple[float, float], share: float, valid: bool
) -> None:
    assert down(seconds, share).valid is valid


def test_a_planned_fault_is_meant_to_fail_attempts() -> None:
    """An error, a reset and the like are disturbances, and recovery is measured after them."""
    fault = Fault("error", "fault-1", 15.0, 17.0, text="503 for 100% of attempts", lanes=("b",))
    assert down((15.0, 17.0), faults=(fault,)).valid
    others = replace(fault, lanes=("a",))
    assert not down((15.0, 17.0), faults=(others,)).valid
