"""What a target metered, as far as it is kept: every tick for a while, and bins for longer. Pure.

All times are seconds of the target's clock. Ticks follow each other without a gap; where some are
lost for good, those before are forgotten, since nobody can judge a storm across a gap. The bins of
a chart are kept across it. Memory is bounded: by ticks and bins kept, and by lanes.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from faults.wire import LaneTick, TickRow
from loadtests.control_room.metered.binned import LaneBins
from loadtests.control_room.metered.windows import WINDOWS
from reports.folding.phases import between
from reports.reading.series import Counts, Floats
from target_service.limits import MAX_LANES

KEPT_TICKS = 12_000
"""Twenty minutes of ticks of 100 ms."""
SILENCE_S = 10.0
"""A lane without an attempt for this long: what comes then is another load."""
LASTING_S = 5.0
"""A load that goes on for this long, without a pause of a second, is no stray attempt."""
PAUSE_S = 1.0
KEPT_STRETCHES = 64
TINY_S = 1e-6
MARK_MOVES_S = 0.25
"""The clock of the target is found anew with each poll, and a begin moves a little with it."""
ROWS_AT_ONCE = 5


class _Kept:
    """The newest numbers of a series. What was given out stays as it was."""

    def __init__(self, kept: int, kind: type[np.int64] | type[np.float64]) -> None:
        self._kept = kept
        self._values = np.zeros(kept // 4 + 1, kind)
        self._begin = self._end = 0

    def append(self, value: float) -> None:
        if self._end == self._values.size:
            kept = self._values[self._begin : self._end]
            grown = np.zeros(min(2 * kept.size, self._kept + self._kept // 4) + 16, kept.dtype)
            grown[: kept.size] = kept
            self._values, self._begin, self._end = grown, 0, kept.size
        self._values[self._end] = value
        self._end += 1
        self._begin = max(self._begin, self._end - self._kept)

    def all(self) -> np.ndarray[tuple[int], np.dtype[np.int64 | np.float64]]:
        return self._values[self._begin : self._end]


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant at which attempts begin to be counted, and those before it and counted so far."""

    start_s: float
    before: int
    counted: int


class LaneHistory:
    """One lane: ticks for judging it, bins for drawing it, and its newest tick."""

    def __init__(self, late: int, capacity: float, kept: int) -> None:
        """`late` ticks were kept before it appeared: without load, with the `capacity` it has."""
        self._offered = _Kept(kept, np.int64)
        self._capacity = _Kept(kept, np.float64)
        for _ in range(late):
            self._offered.append(0)
            self._capacity.append(capacity)
        self.bins = {name: LaneBins(window.size) for name, window in WINDOWS.items()}
        self.newest: LaneTick | None = None
        self.has_queue = False
        self.loaded_s: float | None = None
        """When it was last offered anything: the end of that tick."""
        self.began_s: float | None = None
        """When the load began that was last seen: after a silence, if there was one."""
        self.stretches: deque[tuple[float, float]] = deque(maxlen=KEPT_STRETCHES)
        """Begin and end of the newest stretches of load that lasted."""
        self._stretch_s = 0.0
        self.total = 0
        """Attempts in all ticks since any were lost, also in those that are no longer kept."""
        self.mark: Mark | None = None

    @property
    def offered(self) -> Counts:
        """Attempts in each tick that is kept."""
        return self._offered.all()  # type: ignore[return-value]  # made of whole numbers

    @property
    def capacity(self) -> Floats:
        """Capacity in force in each tick that is kept, attempts per tick."""
        return self._capacity.all()  # type: ignore[return-value]  # made of floats

    def add(self, tick: LaneTick, t_s: float, tick_s: float, places: Mapping[str, int]) -> None:
        """A tick that began at `t_s`, and in each window the number of the bin that it is in."""
        offered = sum(tick.offered)
        self._offered.append(offered)
        self._capacity.append(tick.capacity_per_s * tick_s)
        for window, index in places.items():
            self.bins[window].add(index, tick)
        self.newest = tick
        self.has_queue = self.has_queue or tick.queue > 0
        self.total += offered
        if offered:
            self._load(t_s, t_s + tick_s)

    def _load(self, start_s: float, end_s: float) -> None:
        """It was offered something in this tick."""
        before_s = -math.inf if self.loaded_s is None else self.loaded_s
        if start_s - before_s >= SILENCE_S:
            self.began_s = start_s
        if start_s - before_s >= PAUSE_S:
            self._stretch_s = start_s
        self.loaded_s = end_s
        if end_s - self._stretch_s >= LASTING_S - TINY_S:
            if self.stretches and self.stretches[-1][0] == self._stretch_s:
                self.stretches.pop()
            self.stretches.append((self._stretch_s, end_s))

    def forget_ticks(self, kept: int) -> None:
        """Ticks were lost: those before are no longer followed by those to come."""
        self._offered, self._capacity = _Kept(kept, np.int64), _Kept(kept, np.float64)
        self.total, self.mark = 0, None


@dataclass(frozen=True)
class Series:
    """The kept ticks of one lane at one instant; `t_s` is when each began."""

    t_s: Floats
    offered: Counts
    capacity: Floats


class History:
    """All lanes of one target, tick by tick."""

    def __init__(self, tick_s: float, kept: int = KEPT_TICKS) -> None:
        """Nothing is known yet."""
        self.tick_s = tick_s
        self._kept = kept
        self.lanes: dict[str, LaneHistory] = {}
        self.last_seq: int | None = None
        self.end_s = 0.0
        """The end of the newest tick."""
        self.size = 0
        """Ticks that are kept."""
        self._indices: Mapping[str, deque[int]] = {
            name: deque(maxlen=window.size) for name, window in WINDOWS.items()
        }

    def add(self, rows: Iterable[TickRow], pause: Callable[[], None] = lambda: None) -> None:
        """Take in finished ticks, in order. `pause` is called every few: there may be many."""
        for number, row in enumerate(rows, 1):
            self._add(row)
            if number % ROWS_AT_ONCE == 0:
                pause()

    def _add(self, row: TickRow) -> None:
        if self.last_seq is not None and row.seq <= self.last_seq:
            return
        if self.last_seq is not None and row.seq > self.last_seq + 1:
            self.size = 0
            for lane in self.lanes.values():
                lane.forget_ticks(self._kept)
        middle_s = row.t_s + self.tick_s / 2
        places = {name: window.index(middle_s, self.tick_s) for name, window in WINDOWS.items()}
        for name, tick in row.lanes.items():
            if name not in self.lanes:
                if len(self.lanes) >= MAX_LANES:
                    continue
                capacity = tick.capacity_per_s * self.tick_s
                self.lanes[name] = LaneHistory(self.size, capacity, self._kept)
            self.lanes[name].add(tick, row.t_s, self.tick_s, places)
        for name, index in places.items():
            indices = self._indices[name]
            if not indices or indices[-1] != index:
                indices.append(index)
        self.last_seq, self.end_s = row.seq, row.t_s + self.tick_s
        self.size = min(self._kept, self.size + 1)

    def series(self, name: str) -> Series:
        """The kept ticks of a lane. Raises `KeyError` for a lane that the target has not."""
        lane = self.lanes[name]
        size = lane.offered.size
        t_s = self.end_s - self.tick_s * np.arange(size, 0, -1, dtype=np.float64)
        return Series(t_s, lane.offered, lane.capacity)

    def attempts(self, name: str, start_s: float, end_s: float) -> int | None:
        """Attempts in the ticks of ``[start_s, end_s)``; None where some of them are not known.

        Of the begin that was asked for last it is known when its ticks are no longer kept.
        """
        lane, series = self.lanes[name], self.series(name)
        if not series.t_s.size:
            return None
        oldest_s = float(series.t_s[0]) - self.tick_s / 2
        mark = lane.mark
        if oldest_s <= start_s:
            since = between(series.t_s, start_s, math.inf, self.tick_s)
            before, counted = lane.total - int(series.offered[since].sum()), 0
        elif mark is not None and abs(mark.start_s - start_s) < MARK_MOVES_S:
            before, counted = mark.before, mark.counted
        else:
            return None
        if end_s >= oldest_s:
            later = between(series.t_s, end_s, math.inf, self.tick_s)
            counted = max(0, lane.total - before - int(series.offered[later].sum()))
        lane.mark = Mark(start_s, before, counted)
        return counted

    def indices(self, window: str, after: int) -> Sequence[int]:
        """The bins of a window from number `after` on, the oldest first."""
        return [index for index in self._indices[window] if index >= after]
