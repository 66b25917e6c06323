"""The tally has what was recorded: no request is lost or counted twice."""

from array import array
from collections import Counter
from dataclasses import replace

from loadtests.control_room.clients.tally import OTHER, ClientTally, LaneTotals, Seconds
from reports.record import End, Fault, Header, Health, Lane, Requests, bucket_of
from target_service.limits import MAX_LANES

ANCHOR_S = 1_796_033_700.0


def header(run_id: str = "20261130-101500", *lanes: str) -> Header:
    return Header(
        id=run_id,
        name="one-dip",
        source="live",
        anchor_epoch_s=ANCHOR_S,
        tick_s=0.1,
        seed=0,
        lanes=tuple(Lane(name, f"policy of {name}") for name in lanes),
        scenario={},
        versions={},
    )


def requests(lane: str = "a", succeeded: int = 8, **failed: int) -> Requests:
    ended = succeeded + sum(failed.values())
    return Requests(0.0, lane, ended, succeeded, Counter(failed), ended + 3)


def health(t_s: float, worker: str = "local", cpu: float = 0.3, late_ms: float = 1.0) -> Health:
    return Health(t_s, "generator", worker, cpu, Counter({bucket_of(late_ms * 10): 100}))


def a_tally(*lanes: str) -> ClientTally:
    tally = ClientTally(lambda: ANCHOR_S)
    tally.take([header("20261130-101500", *lanes)])
    return tally


def test_increments_of_a_lane_add_up() -> None:
    """Lines are increments, and reasons of failure are kept apart."""
    tally = a_tally("a")
    tally.take([requests(succeeded=8, budget=2), requests("b", succeeded=1)])
    tally.take([requests(succeeded=1, budget=1, deadline=1)])
    assert tally.of("a") == LaneTotals(13, 9, {"budget": 3, "deadline": 1}, 19)
    assert tally.of("a").all_failed == 4
    assert tally.of("b").requests == 1
    assert tally.of("nobody's") == LaneTotals()


def test_a_header_begins_a_run_and_the_process_goes_on_counting() -> None:
    """What is scraped must never fall, and what the page shows is of the newest run."""
    tally = a_tally("a")
    tally.take([requests(), health(0.0), End(20.0)])
    assert tally.ended == End(20.0)
    tally.take([header("20261130-101600", "a")])
    assert tally.of("a") == LaneTotals()
    assert not tally.workers()
    tally.take([requests(), health(0.0)])
    assert (tally.of("a").succeeded, tally.lifetime()["a"].succeeded) == (8, 16)
    assert tally.lateness == {bucket_of(10): 200}
    assert not tally.ended
    assert tally.run is not None
    assert tally.run.id == "20261130-101600"


def test_lanes_are_those_of_the_header_and_those_that_appeared() -> None:
    """In this order, with the policy in words where it is known."""
    tally = a_tally("a", "b")
    tally.take([requests("late"), requests("b")])
    assert tally.lanes() == (
        Lane("a", "policy of a"),
        Lane("b", "policy of b"),
        Lane("late", "late"),
    )


def test_lanes_without_end_do_not_grow_what_is_kept() -> None:
    """Those of the process's life that are too many are counted together."""
    tally = a_tally()
    tally.take([requests(f"lane {number}") for number in range(1000)])
    assert len(tally.lanes()) == MAX_LANES
    life = tally.lifetime()
    assert (len(life), OTHER in life) == (MAX_LANES, True)
    tally.take([header()])
    tally.take([requests(f"another {number}", succeeded=1) for number in range(60)])
    assert len(tally.lifetime()) == MAX_LANES


def test_counts_are_of_the_second_that_has_just_passed() -> None:
    """Processes tell at the end of each second what they counted in it."""
    tally = a_tally("a")
    tally.take([requests(succeeded=8, budget=2), health(0.0)], ANCHOR_S + 1.3)
    tally.take([requests(succeeded=9), health(1.0)], ANCHOR_S + 2.01)
    tally.take([], ANCHOR_S + 2.6)
    found = tally.seconds("a", ANCHOR_S)
    assert found == Seconds(ANCHOR_S, array("q", [8, 9]), array("q", [2, 0]))
    assert tally.seconds("a", ANCHOR_S + 1.5) == Seconds(
        ANCHOR_S + 1, array("q", [9]), array("q", [0])
    )
    assert tally.counted_until_s() == ANCHOR_S + 2.0


def test_a_second_counts_when_all_workers_have_told_of_it() -> None:
    """But for those that are long silent."""
    tally = a_tally("a")
    tally.take([health(0.0, "worker-0"), health(0.0, "worker-1")], ANCHOR_S + 1.1)
    tally.take([health(1.0, "worker-0")], ANCHOR_S + 2.1)
    assert tally.counted_until_s() == ANCHOR_S + 1.0
    tally.take([health(2.0, "worker-0"), health(3.0, "worker-0")], ANCHOR_S + 4.1)
    assert tally.counted_until_s() == ANCHOR_S + 4.0


def test_a_run_that_stops_within_a_second_counts_no_second_twice() -> None:
    """What was due in the one that had only begun is no part of the one before."""
    tally = a_tally("a")
    tally.take([replace(requests(succeeded=10), t_s=0.4), health(0.0)], ANCHOR_S + 1.2)
    late, new = replace(requests(succeeded=9), t_s=1.0), replace(requests(succeeded=4), t_s=2.3)
    tally.take([late, health(1.0)], ANCHOR_S + 2.1)
    tally.take([new, End(2.5)], ANCHOR_S + 2.6)
    assert tally.seconds("a", ANCHOR_S).succeeded == array("q", [10, 9])


def test_a_second_in_which_nothing_ended_is_one_of_zero() -> None:
    """It is known, and there was nothing."""
    tally = a_tally("a")
    tally.take([health(0.0), health(1.0)], ANCHOR_S + 2.1)
    assert tally.seconds("a", ANCHOR_S).succeeded == array("q", [0, 0])


def test_an_hour_of_seconds_is_kept() -> None:
    """And no more, however long the run."""
    tally = a_tally("a")
    for second in range(1, 4001):
        tally.take([requests(succeeded=1), health(second - 1.0)], ANCHOR_S + second + 0.2)
    found = tally.seconds("a", ANCHOR_S)
    assert 3600 <= len(found.succeeded) <= 3700
    assert set(found.succeeded) == {1}
    assert found.start_epoch_s + len(found.succeeded) == ANCHOR_S + 4000


def test_workers_have_their_newest_second_and_its_age() -> None:
    """The 99th percentile of lateness, as the report has it."""
    tally = a_tally("a")
    tally.take([health(0.0, cpu=0.9), health(1.0, cpu=0.31, late_ms=2.0)])
    [worker] = tally.workers(ANCHOR_S + 2.5)
    assert (worker.worker, worker.cpu, worker.age_s) == ("local", 0.31, 0.5)
    assert worker.late_p99_ms is not None
    assert 2.0 <= worker.late_p99_ms <= 2.05


def test_the_targets_health_is_no_workers() -> None:
    """Nor is a gateway's."""
    tally = a_tally("a")
    tally.take([replace(health(0.0), source="target"), replace(health(0.0), source="gateway")])
    assert (tally.workers(), dict(tally.lateness)) == ((), {})


def test_spikes_are_kept_with_their_newest_line() -> None:
    """A spike that was cut off with the load has another end; dips are the target's."""
    tally = a_tally("a")
    spike = Fault("spike", "spike-1", 5.0, 8.0, text="3x")
    tally.take([spike, Fault("dip", "dip-1", 5.0, 8.0, "20%")])
    tally.take([replace(spike, end_s=6.0)])
    assert tally.spikes == (replace(spike, end_s=6.0),)
