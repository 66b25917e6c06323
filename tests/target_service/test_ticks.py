"""Ticks lie on a grid of the target's clock, whatever floats do to the boundaries."""

import random

import pytest

from target_service.ticks import TickGrid


@pytest.mark.parametrize("tick_s", [0.1, 0.05, 0.01, 0.3, 1.0])
def test_a_tick_begins_at_its_own_start(tick_s: float) -> None:
    """`start_s(seq)` lies in tick `seq` and is the boundary that a dip can start at."""
    grid = TickGrid(tick_s)
    for seq in range(5000):
        assert grid.seq_at(grid.start_s(seq)) == seq
        assert grid.first_at_or_after(grid.start_s(seq)) == seq


def test_an_instant_lies_between_its_tick_and_the_next() -> None:
    """Any instant is at or after the start of its tick and before the next."""
    grid = TickGrid(0.1)
    rng = random.Random("0/ticks")
    for _ in range(2000):
        now_s = rng.uniform(0, 10_000)
        seq = grid.seq_at(now_s)
        assert grid.start_s(seq) - 1e-6 <= now_s < grid.start_s(seq + 1) + 1e-6


@pytest.mark.parametrize(
    ("duration_s", "ticks"),
    [(0.001, 1), (0.1, 1), (0.14, 1), (0.16, 2), (2.0, 20), (3600.0, 36_000)],
)
def test_a_duration_is_whole_ticks_and_at_least_one(duration_s: float, ticks: int) -> None:
    """Durations round to the nearest whole number of ticks, never to none."""
    assert TickGrid(0.1).whole(duration_s) == ticks
