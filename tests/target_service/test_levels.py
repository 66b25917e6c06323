"""How a lane keeps to a lower capacity: exactly, by whole workers that are a little slower."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from target_service.dips import DipPlan
from target_service.levels import (
    Base,
    InForce,
    LevelDoesNotFitError,
    ServiceTimeLevel,
    WorkersLevel,
    parse_level,
    parse_service_time_level,
)
from target_service.meter import LaneTick
from target_service.service import Job, ServiceConfig, parse_service_time
from target_service.target import Target

TEN = Base(100.0, workers=10, mean_s=0.1)
"""Ten workers of 100 ms."""


@given(st.integers(1, 500), st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_fewer_workers_have_exactly_the_capacity_that_is_left(
    workers: int, mean_s: float, share: float
) -> None:
    """workers ÷ (mean · stretch), and no worker too many."""
    base = Base(workers / mean_s, workers, mean_s)
    found = base.with_fewer_workers(base.capacity_per_s * share)
    assert found.workers / (mean_s * found.stretch) == pytest.approx(base.capacity_per_s * share)
    assert found.stretch >= 1 - 1e-9
    assert found.workers - 1 < workers * share + 1e-6


def test_a_share_of_whole_workers_slows_nobody() -> None:
    """20% of ten workers are two."""
    level = parse_level("20%")
    assert level.keep_to(TEN, level.of(TEN)) == InForce(20.0, 2, 1.0)
    assert level.keep_to(TEN, 0.0) == InForce(0.0, 0, 1.0)


def test_a_service_time_slows_all_workers() -> None:
    """25 ms to 100 ms is a quarter of the capacity, by as many workers."""
    base = Base(400.0, workers=10, mean_s=0.025)
    level = parse_service_time_level("100ms")
    assert level.of(base) == pytest.approx(100.0)
    assert level.keep_to(base, level.of(base)) == InForce(100.0, 10, 4.0)


def test_no_level_raises_capacity() -> None:
    """More workers and shorter times than there are change nothing."""
    assert WorkersLevel(20).of(TEN) == 100.0
    assert parse_service_time_level("10ms").of(TEN) == 100.0


@pytest.mark.parametrize("level", [WorkersLevel(2), ServiceTimeLevel("1s", 1.0)])
def test_what_a_target_has_not_cannot_dip(level: WorkersLevel | ServiceTimeLevel) -> None:
    """The reject model has neither workers nor a service time."""
    with pytest.raises(LevelDoesNotFitError):
        Target(100).begin_dip(DipPlan(level, 1.0), 0.0)


def served_per_tick(plan: DipPlan, ticks: int) -> list[LaneTick]:
    """A lane of ten workers of 100 ms that always has work, under a dip that begins with tick 1."""
    target = Target(0, service=ServiceConfig(10, parse_service_time("100ms"), queue=10_000))
    lane = target.lane("a", 0.0)
    target.begin_dip(plan, 0.0)
    for _ in range(1000):
        target.offer(lane, Job(1), 0.0)
    target.observe(ticks * 0.1, 0.0)
    return [tick.lanes["a"] for tick in target.meter.finished(None, ticks)]


def test_a_slow_start_climbs_back_and_belongs_to_the_dip() -> None:
    """Each tick has the capacity of its own middle; afterwards all of it is there."""
    plan = DipPlan(WorkersLevel(0), 0.2, slow_start_s=0.4)
    ticks = served_per_tick(plan, 9)
    assert [tick.capacity_per_s for tick in ticks] == pytest.approx(
        [100, 0, 0, 12.5, 37.5, 62.5, 87.5, 100, 100]
    )


def test_workers_that_are_taken_away_finish_what_they_do() -> None:
    """Then the queue grows by what comes; when they return they take from it at once."""
    ticks = served_per_tick(DipPlan(parse_level("20%"), 0.2), 4)
    assert [1000 - 10 - tick.queue for tick in ticks] == [0, 2, 4, 14]


def test_a_target_whose_capacity_was_set_to_nothing_serves_nobody_and_can_still_dip() -> None:
    """Workers without a capacity are no workers; a dip of these is a dip, and nothing divides by 0.

    With the capacity back the workers are back.
    """
    target = Target(0, service=ServiceConfig(10, parse_service_time("100ms")))
    lane = target.lane("a", 0.0)
    target.begin_dip(DipPlan(WorkersLevel(2), 5.0), 0.0)
    target.set_capacity(0.0, None, 0.15)
    target.begin_dip(DipPlan(WorkersLevel(2), 5.0), 0.25)
    target.offer(lane, Job(1), 0.35)
    target.observe(1.0, 0.0)
    assert target.meter.finished(None, 10)[9].lanes["a"].queue == 1
    target.set_capacity(200.0, None, 1.05)
    target.observe(10.0, 0.0)
    assert lane.in_force == InForce(200.0, 20, 1.0)
    assert target.meter.finished(None, 100)[99].lanes["a"].queue == 0
