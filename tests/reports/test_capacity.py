"""A capacity that somebody set in the midst of a run is told, and no policy blamed for it."""

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from reports.judging.capacity import changes_of
from reports.reading.read import parse_record
from reports.record import Fault
from reports.rendering.html import to_html
from reports.rendering.to_json import to_json
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape, plain, storm
from tests.reports.test_rendering import words_of

DIP = Fault("dip", "dip-1", 10.0, 12.0, "20/s")
GOOD = Made([Shape("a", plain(storm(30))), Shape("b", plain([9] * 420))])


def dipped(tick: int) -> float:
    return 2.0 if 100 <= tick < 120 else 10.0


def set_at(at: int, to: float) -> Callable[[int], float]:
    """As `GOOD` has it, and from tick `at` on another capacity, but where a dip is in force."""
    return lambda tick: to if tick >= at and not 100 <= tick < 120 else dipped(tick)


def told(made: Made) -> Report:
    return fold(parse_record(made.encoded()))


def test_a_change_after_the_dip_is_told_and_the_result_is_not_valid() -> None:
    """What looks like a relapse is 9 a tick against 8."""
    report = told(GOOD.but(capacity=set_at(300, 8.0)))
    [reason] = report.invalid_because
    assert reason == (
        "the capacity of every lane was changed from 100/s to 80/s at 30.0 s of the run, by no "
        "dip: the load before is no measure for what came after"
    )
    [note] = report.notes
    assert note.startswith(
        "The capacity was changed by no dip, of every lane from 100/s to 80/s at 30.0 s of the run:"
    )
    assert json.loads(to_json(report))["notes"] == [note]
    page = words_of(to_html(report))
    assert '<th scope="row">capacity</th><td>from 100/s to 80/s</td><td>30.0 s</td>' in page


def test_a_change_before_the_first_disturbance_is_a_note() -> None:
    report = told(GOOD.but(capacity=set_at(50, 12.0)))
    assert report.valid
    assert "from 100/s to 120/s at 5.0 s of the run" in report.notes[0]


def test_a_change_before_the_run_is_looked_at_is_nothing() -> None:
    data = GOOD.but(capacity=set_at(5, 12.0)).encoded()
    later = data.replace(b'"observe_from_s":0.0', b'"observe_from_s":1.0')
    report = fold(parse_record(later))
    assert (report.valid, report.notes) == (True, ())


def test_a_change_within_a_dip_shows_when_the_dip_is_over() -> None:
    report = told(GOOD.but(capacity=set_at(110, 12.0)))
    assert "100/s to 120/s in a dip that ended at 12.0 s of the run" in report.invalid_because[0]


def test_a_change_of_one_lane_names_it() -> None:
    """And a lane that no dip was meant for is told of and not judged."""
    made = GOOD.but(dips=[replace(DIP, lanes=("a",))])
    lines = made.encoded().splitlines()
    edited = []
    for line in map(json.loads, lines):
        if line.get("kind") == "tick" and line["lane"] == "b":
            line["capacity_per_s"] = 100.0 if line["t_s"] < 30 else 70.0
        edited.append(json.dumps(line) + "\n")
    report = fold(parse_record("".join(edited).encode()))
    assert report.valid
    assert "of `b` from 100/s to 70/s at 30.0 s of the run:" in report.notes[-1]


def test_of_many_changes_the_first_are_told_and_the_others_counted() -> None:
    made = GOOD.but(capacity=lambda tick: 10 + tick // 30 if tick >= 120 else dipped(tick))
    [note] = told(made).notes
    assert note.count("/s to ") == 3
    assert "and 7 times more: what" in note


def ramp(tick: int) -> float:
    """A ramp of four seconds, and after it a slow start of two."""
    if 100 <= tick < 140:
        return 2.0 + 8.0 * abs(tick + 0.5 - 120) / 20
    return 2.0 + 8.0 * (tick - 140 + 0.5) / 20 if 140 <= tick < 160 else 10.0


@pytest.mark.parametrize(
    ("capacity", "dips"),
    [
        (dipped, [DIP]),
        (ramp, [Fault("dip", "d", 10.0, 16.0, "20%, slow start 2s", "ramp")]),
        (
            lambda tick: 2.0 if 100 <= tick < 120 or 300 <= tick < 500 else 10.0,
            [DIP, Fault("dip", "e", 30.0, 50.0, "20/s")],
        ),
    ],
    ids=["a step", "a ramp and a slow start", "a dip that outlasts the run"],
)
def test_what_a_dip_explains_is_not_told(
    capacity: Callable[[int], float], dips: list[Fault]
) -> None:
    made = GOOD.but(capacity=capacity, dips=dips)
    assert changes_of(parse_record(made.encoded())) == ()


@pytest.mark.parametrize("share", [1.0, 0.2])
def test_a_capacity_that_is_measured_is_another_all_the_time(share: float) -> None:
    """Where workers take as long as the app, it is found from how long they took: no alarm."""
    rng, now = random.Random("measured"), [10.0]
    found = {}
    for tick in range(420):
        if rng.random() < share:
            now[0] = rng.uniform(9.5, 10.5)
        found[tick] = now[0]
    assert changes_of(parse_record(GOOD.but(capacity=found.__getitem__).encoded())) == ()


def test_a_capacity_that_is_measured_may_hardly_move() -> None:
    """The mean of all answers since the target began is still now and then; one jump is no news."""
    made = GOOD.but(capacity=lambda tick: (10.0 if tick < 200 else 8.0) + 1e-9 * (tick // 3))
    assert changes_of(parse_record(made.encoded())) == ()


def test_a_dip_whose_line_is_not_there_yet_is_no_change() -> None:
    """Of a record that was read while it was being written."""
    made = GOOD.but(capacity=lambda tick: 2.0 if tick >= 95 else 10.0, dips=[], end=None)
    assert changes_of(parse_record(made.but(ticks=100).encoded())) == ()
    assert changes_of(parse_record(made.but(ticks=120).encoded()))
