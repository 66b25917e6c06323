"""Greenlets are used again, and jobs neither wait for each other nor get lost."""

import gevent
import pytest
from gevent.event import Event

from loadtests.greenlets import Greenlets, ReusedGreenlet, TooManyUnderWayError


def test_jobs_one_after_another_share_a_greenlet() -> None:
    """A new one for each would map memory for each."""
    greenlets, ran_in = Greenlets(), []
    for _ in range(20):
        greenlets.start(lambda: ran_in.append(gevent.getcurrent()), 0.0)
        greenlets.wait(5)
    assert len(ran_in) == 20
    assert len(set(ran_in)) == 1


def test_jobs_under_way_at_once_have_a_greenlet_each() -> None:
    """All fifty reach the same point before any goes on."""
    greenlets, all_there, there, done = Greenlets(), Event(), [], []

    def job() -> None:
        there.append(1)
        if len(there) == 50:
            all_there.set()
        all_there.wait()
        done.append(1)

    for _ in range(50):
        greenlets.start(job, 0.0)
    greenlets.wait(5)
    assert (len(done), greenlets.busy) == (50, 0)


def test_there_is_a_most_that_can_be_under_way_at_once() -> None:
    """The one more is refused in words; once one has ended there is room for another."""
    greenlets, go_on = Greenlets(most=2), Event()
    for _ in range(2):
        greenlets.start(go_on.wait, 0.0)
    with pytest.raises(TooManyUnderWayError, match="2 requests of one user are on their way"):
        greenlets.start(go_on.wait, 0.0)
    go_on.set()
    greenlets.wait(5)
    greenlets.start(go_on.wait, 0.0)
    greenlets.wait(5)
    assert greenlets.busy == 0


def test_a_job_finds_when_it_was_due() -> None:
    """Its own time, also in a greenlet that another job has used."""
    greenlets, due = Greenlets(), []

    def job() -> None:
        greenlet = gevent.getcurrent()
        assert isinstance(greenlet, ReusedGreenlet)
        due.append(greenlet.due_s)
        greenlet.due_s = None

    for number in range(5):
        greenlets.start(job, float(number))
        greenlets.wait(5)
    assert due == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_waiting_gives_up_and_killing_ends_what_is_under_way() -> None:
    """Sleeping jobs and idle greenlets alike."""
    greenlets, ended = Greenlets(), []

    def job() -> None:
        try:
            gevent.sleep(60)
        finally:
            ended.append(1)

    greenlets.start(job, 0.0)
    greenlets.start(lambda: None, 0.0)
    greenlets.wait(0.05)
    assert greenlets.busy == 1
    greenlets.kill()
    gevent.sleep(0.01)
    assert (ended, greenlets.busy) == ([1], 0)
