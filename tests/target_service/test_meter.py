"""The meter keeps a bounded ring of finished ticks without gaps."""

from target_service.meter import Counts, LaneTick, Meter, count
from target_service.ticks import TickGrid


def finished_meter(ticks: int, kept: int = 100) -> Meter:
    """A meter that has seen `ticks` ticks."""
    meter = Meter(TickGrid(0.1), kept)
    for seq in range(ticks):
        meter.close(seq, {})
        meter.finish((seq + 1) / 10, 0.0)
    return meter


def test_counts_have_no_zeros_at_their_end() -> None:
    """The list reaches as far as it counts."""
    places: list[int] = []
    count(places, 3)
    count(places, 1)
    count(places, 3)
    assert places == [0, 1, 0, 2]


def test_totals_are_the_sums_of_the_ticks() -> None:
    """Place by place, also where the lists differ in length."""
    totals = Counts()
    totals.add(LaneTick(1.0, offered=(1, 2), admitted=(1,)))
    totals.add(LaneTick(1.0, offered=(0, 1, 5), completed=(0, 0, 3)))
    total = totals.frozen(1.0)
    assert (total.offered, total.admitted, total.completed) == ((1, 3, 5), (1,), (0, 0, 3))


def test_a_tick_is_readable_only_once_the_ticker_has_come() -> None:
    """Before that nobody knows how late the loop was."""
    meter = Meter(TickGrid(0.1), 10)
    meter.close(0, {})
    assert meter.finished(None, 10) == []
    meter.finish(0.1004, 0.02)
    (tick,) = meter.finished(None, 10)
    assert (tick.seq, tick.t_s, round(tick.lag_s, 6), tick.cpu_s) == (0, 0.0, 0.0004, 0.02)


def test_ticks_that_a_blocked_loop_missed_are_there_and_each_says_how_late_it_was() -> None:
    """No gaps; the CPU time is shared."""
    meter = Meter(TickGrid(0.1), 10)
    for seq in range(3):
        meter.close(seq, {})
    meter.finish(0.35, 0.3)
    ticks = meter.finished(None, 10)
    assert [tick.seq for tick in ticks] == [0, 1, 2]
    assert [round(tick.lag_s, 6) for tick in ticks] == [0.25, 0.15, 0.05]
    assert [round(tick.cpu_s, 6) for tick in ticks] == [0.1, 0.1, 0.1]


def test_the_ring_is_bounded() -> None:
    """Only the last ticks are kept, finished or not."""
    assert [tick.seq for tick in finished_meter(250, kept=100).finished(None, 1000)] == list(
        range(150, 250)
    )
    unfinished = Meter(TickGrid(0.1), 5)
    for seq in range(50):
        unfinished.close(seq, {})
    unfinished.finish(5.0, 0.0)
    assert [tick.seq for tick in unfinished.finished(None, 1000)] == [45, 46, 47, 48, 49]


def test_reading_goes_on_after_a_number() -> None:
    """Exactly the ticks above it, a page at a time; a number too old begins with the oldest."""
    meter = finished_meter(250, kept=100)
    assert [tick.seq for tick in meter.finished(247, 10)] == [248, 249]
    assert [tick.seq for tick in meter.finished(3, 2)] == [150, 151]
    assert meter.finished(249, 10) == []
    assert meter.finished(10_000, 10) == []
