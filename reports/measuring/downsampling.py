"""Which ticks of a long series are drawn: as few as a chart has room for, and no peak is hidden."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.measuring.recovery import Drawn

MOST = 1_200
"""Ticks of one chart: more than it has pixels across."""
FEWEST = 40
Places = NDArray[np.int64]
Row = NDArray[np.generic]


def drawn_ticks(
    highs: Sequence[ArrayLike],
    lows: Sequence[ArrayLike],
    steps: Sequence[ArrayLike],
    most: int = MOST,
) -> Places:
    """Places of the ticks to draw, in order: all of them where there are at most `most`.

    Else the ticks are divided into columns of equal width. In each the highest tick of every row of
    `highs` stays and the lowest of every row of `lows`; besides, every tick at which a row of
    `steps` changes, and both ends. Where steps change so often that they would take more than half
    of the room, their highest and lowest stay as the others' do. A tick stays whole: whoever draws
    several rows takes all of them at these places. With `most` below 40 there are 40.
    """
    high, low, step = ([np.asarray(row) for row in rows] for rows in (highs, lows, steps))
    size = max((row.shape[-1] for row in (*high, *low, *step)), default=0)
    most = max(most, FEWEST)
    if size <= most:
        return np.arange(size)
    changes = _changes(step)
    if changes.size > most // 2:
        changes, high, low = changes[:0], [*high, *step], [*low, *step]
    high, low = _varied(high), _varied(low)
    columns = (most - 2 - changes.size) // max(1, len(high) + len(low))
    edges = np.linspace(0, size, max(1, columns) + 1).astype(np.int64)
    ends = np.array([0, size - 1])
    return np.unique(np.concatenate([ends, changes, *_extremes(high, low, edges)]))


def thinned(drawn: Drawn, most: int = MOST) -> Drawn:
    """What is drawn of a lane, at the ticks that are drawn. Its marks stay as they are."""
    offered = drawn.by_attempt_per_s.sum(axis=0)
    let_through = np.isfinite(drawn.let_through_per_s)
    kept = drawn_ticks(
        [offered, drawn.queue], [offered], [drawn.capacity_per_s, let_through], most
    )  # fmt: skip
    return replace(
        drawn,
        t_s=drawn.t_s[kept],
        by_attempt_per_s=drawn.by_attempt_per_s[:, kept],
        capacity_per_s=drawn.capacity_per_s[kept],
        let_through_per_s=drawn.let_through_per_s[kept],
        queue=drawn.queue[kept],
    )


def _changes(steps: Sequence[Row]) -> Places:
    """Ticks at which any row has another value than at the tick before."""
    each = [np.flatnonzero(row[1:] != row[:-1]) + 1 for row in steps]
    return np.unique(np.concatenate(each)) if each else np.zeros(0, np.int64)


def _varied(rows: Sequence[Row]) -> list[Row]:
    """Of a row that never changes any tick will do."""
    return [row for row in rows if (row != row[0]).any()]


def _extremes(high: Sequence[Row], low: Sequence[Row], edges: Places) -> Iterator[Places]:
    for rows, extreme in ((high, np.argmax), (low, np.argmin)):
        for row in rows:
            parts = np.split(row, edges[1:-1])
            yield edges[:-1] + np.array([extreme(part) for part in parts])
