"""What is drawn of a long series: few ticks, and every peak, dip and change of capacity."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reports.measuring.downsampling import FEWEST, MOST, drawn_ticks, thinned
from reports.measuring.recovery import Drawn

SIZES = st.integers(1, 6_000)
RATES = st.integers(0, 60)


@st.composite
def rows(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offered load, queue and capacity: noise from a seed, with peaks and dips of one tick."""
    size = draw(SIZES)
    noise = np.random.default_rng(draw(st.integers(0, 2**32)))
    offered, queue = noise.poisson(draw(RATES), size), noise.poisson(draw(RATES), size)
    places = draw(st.lists(st.integers(0, size - 1), max_size=12))
    offered[places] = draw(arrays(np.int64, len(places), elements=st.integers(0, 1_000)))
    capacity = np.full(size, 40.0)
    capacity[draw(st.lists(st.integers(0, size - 1), max_size=12))] = draw(RATES)
    return offered, queue, capacity


@given(rows(), st.integers(FEWEST, MOST))
def test_order_is_kept_and_size_is_bounded(made: tuple[np.ndarray, ...], most: int) -> None:
    """Places rise, the ends are among them, and there are no more than asked for."""
    offered, queue, capacity = made
    kept = drawn_ticks([offered, queue], [offered], [capacity], most)
    assert (np.diff(kept) > 0).all()
    assert (kept[0], kept[-1]) == (0, offered.size - 1)
    assert kept.size == offered.size if offered.size <= most else kept.size <= most


@given(rows(), st.integers(FEWEST, MOST))
def test_no_peak_is_hidden(made: tuple[np.ndarray, ...], most: int) -> None:
    """In every stretch two columns wide the highest load and queue and the lowest load are kept.

    Whatever columns of pixels a chart has, its peaks are at most one column of ours away.
    """
    offered, queue, capacity = made
    kept = drawn_ticks([offered, queue], [offered], [capacity], most)
    width = int(np.ceil(offered.size / ((most // 2 - 2) // 3)))
    for row in (offered, queue, -offered):
        if (row == row[0]).all():
            continue
        for start in range(0, row.size, width):
            near = kept[(kept > start - width) & (kept < start + 2 * width)]
            assert row[near].max() >= row[start : start + width].max()
    assert offered[kept].max() == offered.max()
    assert offered[kept].min() == offered.min()
    assert queue[kept].max() == queue.max()


@given(rows(), st.integers(FEWEST, MOST))
@example((np.ones(5_000), np.ones(5_000), np.where(np.arange(5_000) == 2_345, 1.0, 9.0)), MOST)
def test_capacity_drawn_in_steps_is_capacity(made: tuple[np.ndarray, ...], most: int) -> None:
    """Each kept tick holds until the next one: what is drawn is the capacity of every tick."""
    offered, queue, capacity = made
    kept = drawn_ticks([offered, queue], [offered], [capacity], most)
    if np.count_nonzero(np.diff(capacity)) > most // 2:
        return
    drawn = np.repeat(capacity[kept], np.diff([*kept, capacity.size]))
    assert (drawn == capacity).all()


@given(st.integers(0, 2**32), st.integers(FEWEST, MOST))
def test_capacity_that_never_rests_keeps_its_extremes(seed: int, most: int) -> None:
    """A ramp of an hour changes in every tick: bounded all the same, its lowest still there."""
    capacity = np.random.default_rng(seed).random(9_000)
    offered = np.arange(9_000) % 77
    kept = drawn_ticks([offered], [offered], [capacity], most)
    assert kept.size <= most
    assert capacity[kept].min() == capacity.min()
    assert capacity[kept].max() == capacity.max()
    assert offered[kept].max() == offered.max()


def test_a_tick_is_drawn_whole() -> None:
    """All layers of a kept tick are its own, at its own time; marks stay."""
    size = 30_000
    noise = np.random.default_rng(3)
    layers = noise.poisson(9, (4, size)).astype(float)
    layers[3, 12_345] = 900
    through = np.full(size, np.nan)
    through[200:203] = 5
    drawn = Drawn(
        t_s=np.arange(-500.0, size - 500) / 10,
        by_attempt_per_s=layers,
        capacity_per_s=np.full(size, 40.0),
        let_through_per_s=through,
        queue=np.zeros(size),
        seconds=(),
        faults=(),
        actions=(),
    )
    few = thinned(drawn)
    assert few.t_s.size <= MOST
    places = np.searchsorted(drawn.t_s, few.t_s)
    assert (few.by_attempt_per_s == layers[:, places]).all()
    assert few.by_attempt_per_s.sum(axis=0).max() == layers.sum(axis=0).max()
    assert {200, 203} <= set(places)
    assert np.isfinite(few.let_through_per_s).sum() >= 1


def test_a_short_run_is_drawn_in_full() -> None:
    """Two minutes of ticks of 100 ms: all of them."""
    offered = np.zeros(MOST)
    assert (drawn_ticks([offered], [offered], [offered]) == np.arange(MOST)).all()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_next_to_nothing(size: int) -> None:
    """Of no ticks none are drawn."""
    assert drawn_ticks([np.zeros(size)], [], []).size == size
