"""What a process that is told to quit still does: first the record, then the report, if it can."""

import logging
import sys
from pathlib import Path

import gevent
import pytest

from loadtests.closing import REPORT_S, Leaving, make_report

WORDS = (sys.executable, "-c", "print('a table')")
FOR_EVER = (sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)")


class Clock:
    """Stands where it is put."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_time_is_left_from_when_it_was_told_first() -> None:
    """Before that there is no hurry."""
    clock = Clock()
    leaving = Leaving(clock)
    assert leaving.left_s(3.0) == float("inf")
    leaving.begin()
    clock.now_s += 1.0
    leaving.begin()
    assert leaving.left_s(3.0) == 2.0
    clock.now_s += 9.0
    assert leaving.left_s(3.0) == 0.0


def test_a_report_is_made_to_its_end(caplog: pytest.LogCaptureFixture) -> None:
    """Also by a process that quits, when there is time."""
    caplog.set_level(logging.INFO, "aftershock")
    make_report(Path("runs/x"), Leaving(), WORDS)
    told = Leaving(lambda: 100.0)
    told.begin()
    make_report(Path("runs/x"), told, WORDS)
    assert [record.getMessage() for record in caplog.records] == ["report made:\na table"] * 2


@pytest.mark.parametrize("told_first", [True, False])
def test_a_report_that_takes_too_long_is_given_up(
    *, told_first: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Told before or while it is made; it says how to make it later, and its process is ended."""
    caplog.set_level(logging.INFO, "aftershock")
    clock = Clock()
    leaving = Leaving(clock)

    def hurry() -> None:
        leaving.begin()
        clock.now_s += REPORT_S

    if told_first:
        hurry()
    making = gevent.spawn(make_report, Path("runs/x"), leaving, FOR_EVER)
    gevent.sleep(0)
    if not told_first:
        hurry()
    making.join(30)
    assert making.ready()
    assert [record.getMessage() for record in caplog.records] == [
        "no report yet: aftershock report runs/x"
    ]
