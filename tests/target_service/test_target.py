"""Lanes, dips and the meter together, in told time: no server, no clock."""

import random

import pytest

from target_service.dips import DipPlan
from target_service.lanes import BadLaneNameError, TooManyLanesError, UnknownLaneError
from target_service.levels import parse_level
from target_service.limits import MAX_LANES
from target_service.meter import LaneTick
from target_service.service import Job, Verdict
from target_service.target import Target


def offer(target: Target, lane: str, now_s: float, times: int, attempt: int = 1) -> int:
    """How many of `times` attempts are admitted now."""
    known = target.lane(lane, now_s)
    verdicts = [target.offer(known, Job(attempt), now_s) for _ in range(times)]
    return verdicts.count(Verdict.TAKEN)


def lane_ticks(target: Target, lane: str, until_s: float) -> list[LaneTick]:
    """The lane in every finished tick that it existed in."""
    target.observe(until_s, 0.0)
    return [tick.lanes[lane] for tick in target.meter.finished(None, 10_000) if lane in tick.lanes]


def test_a_tick_admits_its_capacity_and_turns_the_rest_away() -> None:
    """And counts by attempt number."""
    target = Target(100)
    assert offer(target, "a", 0.01, 7, attempt=1) == 7
    assert offer(target, "a", 0.05, 7, attempt=3) == 3
    assert offer(target, "a", 0.1, 1) == 1
    first, second = lane_ticks(target, "a", 0.2)
    assert first.offered == (0, 7, 0, 7)
    assert first.admitted == (0, 7, 0, 3)
    assert first.turned_away == (0, 0, 0, 4)
    assert second.offered == (0, 1)


def test_fractional_capacity_carries_over_between_ticks_without_load_too() -> None:
    """9.5 a tick is 95 in ten ticks."""
    target = Target(95)
    assert sum(offer(target, "a", tick / 10, 100) for tick in range(10)) == 95


def test_lanes_do_not_disturb_each_other() -> None:
    """A storm in one lane leaves the other its whole capacity."""
    target = Target(100)
    assert offer(target, "storm", 0.0, 1000) == 10
    assert offer(target, "calm", 0.0, 10) == 10


def test_nothing_is_lost_between_the_counts() -> None:
    """Offered is admitted plus turned away, in every tick, whatever comes when."""
    rng = random.Random("0/target")
    target = Target(50)
    offered = admitted = 0
    now_s = 0.0
    for _ in range(3000):
        now_s += rng.expovariate(100)
        admitted += offer(target, "a", now_s, 1, attempt=rng.randrange(5))
        offered += 1
    ticks = lane_ticks(target, "a", now_s + 1)
    assert sum(sum(tick.offered) for tick in ticks) == offered
    assert sum(sum(tick.admitted) for tick in ticks) == admitted
    for tick in ticks:
        assert sum(tick.offered) == sum(tick.admitted) + sum(tick.turned_away)
        assert sum(tick.admitted) <= 5


def test_completed_and_abandoned_count_in_the_tick_they_happen_in() -> None:
    """An attempt that takes long completes in a later tick."""
    target = Target(100)
    lane = target.lane("a", 0.0)
    target.offer(lane, Job(2), 0.0)
    target.offer(lane, Job(1), 0.0)
    target.complete(lane, 2, 0.25)
    target.abandon(lane, 1, 0.31)
    ticks = lane_ticks(target, "a", 0.4)
    assert [tick.completed for tick in ticks] == [(), (), (0, 0, 1), ()]
    assert [tick.abandoned for tick in ticks] == [(), (), (), (0, 1)]


def test_a_dip_begins_with_the_next_tick_and_ends_by_itself() -> None:
    """For its whole length, and within one tick of being asked for."""
    target = Target(100)
    target.lane("a", 0.0)
    dip = target.begin_dip(DipPlan(parse_level("20/s"), 0.3), now_s=0.25)
    assert (dip.start, dip.end) == (3, 6)
    assert [offer(target, "a", tick / 10 + 0.05, 50) for tick in range(3, 8)] == [2, 2, 2, 10, 10]


@pytest.mark.parametrize(
    ("now_s", "after_s", "start"),
    [(1.0, 0.0, 11), (1.0, 2.0, 30), (1.01, 2.0, 31), (0.99, 0.01, 10)],
)
def test_a_start_is_put_off_to_a_tick_that_has_not_begun(
    now_s: float, after_s: float, start: int
) -> None:
    """Capacity is constant within a tick, so the running one is never touched."""
    assert Target(100).begin_dip(DipPlan(parse_level("0%"), 1, after_s), now_s).start == start


def test_a_lane_that_first_appears_during_a_dip_is_in_it() -> None:
    """`lanes: null` is also the lanes to come."""
    target = Target(100)
    target.begin_dip(DipPlan(parse_level("20/s"), 10), now_s=0.0)
    assert offer(target, "late", 5.0, 50) == 2


def test_ending_a_dip_early_frees_the_next_tick() -> None:
    """Not the running one."""
    target = Target(100)
    target.lane("a", 0.0)
    dip = target.begin_dip(DipPlan(parse_level("0/s"), 10), now_s=0.0)
    target.end_dip(dip.id, 0.55)
    assert [offer(target, "a", at_s, 50) for at_s in (0.56, 0.61)] == [0, 10]
    assert target.grid.start_s(dip.end) == 0.6


def test_capacity_changes_with_the_next_tick() -> None:
    """Of the lanes named; without names of all, also those to come."""
    target = Target(100)
    offer(target, "a", 0.0, 1)
    offer(target, "b", 0.0, 1)
    target.set_capacity(30, ["a"], 0.05)
    assert [offer(target, "a", 0.06, 50), offer(target, "a", 0.1, 50)] == [9, 3]
    assert offer(target, "b", 0.1, 50) == 10
    target.set_capacity(50, None, 0.15)
    assert [offer(target, lane, 0.2, 50) for lane in ("a", "b", "new")] == [5, 5, 5]


def test_a_dip_and_a_capacity_name_only_lanes_that_exist() -> None:
    """A typing error must not look like a dip."""
    target = Target(100)
    with pytest.raises(UnknownLaneError, match="typo"):
        target.begin_dip(DipPlan(parse_level("0%"), 1, lanes=("typo",)), 0.0)
    with pytest.raises(UnknownLaneError, match="typo"):
        target.set_capacity(1, ["typo"], 0.0)


def test_lanes_are_bounded_and_registered_all_or_none() -> None:
    """The 65th is refused, by attempt and by registration."""
    target = Target(100)
    target.register([f"lane-{n}" for n in range(MAX_LANES - 1)], 0.0)
    with pytest.raises(TooManyLanesError):
        target.register(["x", "y"], 0.0)
    assert "x" not in target.lanes
    target.register(["x", "lane-0"], 0.0)
    with pytest.raises(TooManyLanesError):
        target.lane("y", 0.0)
    assert target.lane("x", 0.0).name == "x"


@pytest.mark.parametrize("name", ["", "x" * 65, "tab\t", "ümlaut", " space", "space ", "\x00"])
def test_a_bad_name_is_no_lane(name: str) -> None:
    """1 to 64 printable ASCII characters, no space at either end."""
    with pytest.raises(BadLaneNameError, match="1 to 64 printable ASCII"):
        Target(100).lane(name, 0.0)


def test_a_registered_lane_is_metered_without_load() -> None:
    """A gap in a lane's ticks is a loss, so there is none."""
    target = Target(100)
    target.register(["idle"], 0.0)
    assert lane_ticks(target, "idle", 1.0) == [LaneTick(100.0)] * 10


def test_a_reset_forgets_all_but_the_numbers_and_is_idempotent() -> None:
    """Configured capacity, no lanes, dips or ticks; tick numbers and dip ids go on."""
    target = Target(100)
    offer(target, "a", 0.0, 3)
    target.begin_dip(DipPlan(parse_level("0/s"), 100), 0.0)
    target.set_capacity(7, None, 0.0)
    target.observe(1.0, 0.0)
    for _ in range(2):
        target.reset(1.05)
        assert (target.lanes, list(target.dips), target.meter.finished(None, 10)) == ({}, [], [])
        assert (target.capacity_per_s, target.seq) == (100, 10)
    assert offer(target, "a", 1.06, 50) == 10
    assert target.begin_dip(DipPlan(parse_level("0/s"), 1), 1.1).id == "dip-2"
    target.observe(1.2, 0.0)
    assert [tick.seq for tick in target.meter.finished(None, 10)] == [10, 11]


def test_kept_ticks_are_bounded() -> None:
    """However long it runs."""
    target = Target(100, kept_ticks=50)
    target.observe(1000.0, 0.0)
    assert len(target.meter.finished(None, 100_000)) == 50
