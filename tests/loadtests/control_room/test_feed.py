"""The target is asked only while somebody looks, and all who look share the answer."""

from dataclasses import replace

import gevent

from loadtests.control_room.clients.tally import ClientTally
from loadtests.control_room.live import feed as feeding
from loadtests.control_room.live.feed import Feed
from tests.loadtests.control_room.metered import OFFSET_S, FakeTarget
from tests.reports.synthetic import Made, Shape, plain, storm

RUN = Made([Shape("a", plain(storm(30)))], planned_end_s=None, end=None)


def a_feed(target: FakeTarget) -> Feed:
    return Feed(lambda: target, ClientTally(), lambda: OFFSET_S + target.now_s)


def test_nobody_looks_and_nothing_is_asked() -> None:
    """A page that nobody has open costs nothing."""
    target = FakeTarget(RUN)
    feed = a_feed(target)
    gevent.sleep(0.01)
    assert (target.asked, feed.version) == (0, 0)


def test_who_waits_is_woken_by_the_next_poll_and_who_is_behind_does_not_wait() -> None:
    """All by the same one."""
    target = FakeTarget(RUN, ticks_done=90)
    feed = a_feed(target)
    waiting = [gevent.spawn(feed.wait, 0, 5.0) for _ in range(3)]
    gevent.joinall(waiting, timeout=5.0)
    assert [one.value for one in waiting] == [1, 1, 1]
    assert target.asked == 5  # where its clock stands is found in five exchanges
    assert feed.wait(0, 5.0) == 1
    assert feed.wait(99, 5.0) == 1
    feed.close()


def test_polling_ends_when_nobody_has_looked_for_a_while() -> None:
    """And begins again with the next look, which is not told of what was seen long ago."""
    target = FakeTarget(RUN, ticks_done=90)
    feed = a_feed(target)
    feed.wait(0, 5.0)
    target.advance(round(feeding.LOOKED_AT_S / 0.1))
    gevent.joinall([feed._loop], timeout=5.0)
    asked = target.asked
    gevent.sleep(0.01)
    assert (target.asked, feed.version) == (asked, 1)
    assert feed.wait(0, 5.0) == 2
    feed.close()


def test_a_poll_that_fails_inside_does_not_end_the_polling() -> None:
    """Whoever looks must not wait for ever."""

    class Broken(FakeTarget):
        def state(self):  # type: ignore[no-untyped-def]
            if self.asked < 1:
                self.asked += 1
                raise ZeroDivisionError
            return super().state()

    feed = a_feed(Broken(RUN, ticks_done=90))
    assert feed.wait(0, 5.0) == 1
    feed.close()


def test_others_have_a_turn_between_lanes() -> None:
    """The load generator sends from the same process."""
    shapes = [Shape(f"lane {number}", plain(storm(0))) for number in range(20)]
    target = FakeTarget(replace(RUN, shapes=shapes), ticks_done=90)
    feed, turns = a_feed(target), []
    feed.poll(lambda: turns.append(1))
    assert len(turns) >= 20
    assert len(feed.seen.standings) == 20
