"""What is counted, per tick, lane and attempt number, and the ring of finished ticks."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from target_service.ticks import TickGrid


def count(places: list[int], attempt: int) -> None:
    """Add one at place `attempt`. The list grows only as far as it counts: no zeros at its end."""
    try:
        places[attempt] += 1
    except IndexError:  # seldom: in the first attempts of a tick
        places.extend([0] * (attempt - len(places)))
        places.append(1)


def add(places: list[int], more: tuple[int, ...]) -> None:
    """Add the counts `more` to `places`, place by place."""
    places.extend([0] * (len(more) - len(places)))
    for place, number in enumerate(more):
        places[place] += number


def without(places: list[int], *less: list[int]) -> list[int]:
    """`places`, place by place, with the counts of their parts taken away."""
    left = list(places)
    for part in less:
        for place, number in enumerate(part):
            left[place] -= number
    return left


@dataclass(frozen=True, slots=True)
class LaneTick:
    """One lane in one finished tick. Lists count by attempt number; place 0 is unknown numbers.

    offered = turned away + admitted in every tick, and over all ticks so far
    admitted = completed + abandoned + in flight. `blocked` is part of what was turned away: by an
    operator, at the edge. `shed` and `failed` are parts of what was completed: answered with a
    refusal after having been admitted, and with an error that no capacity was the cause of.
    """

    capacity_per_s: float
    offered: tuple[int, ...] = ()
    admitted: tuple[int, ...] = ()
    turned_away: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    completed: tuple[int, ...] = ()
    shed: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()
    abandoned: tuple[int, ...] = ()
    queue: int = 0
    in_flight: int = 0

    @property
    def idle(self) -> bool:
        """Nothing was counted in this tick."""
        return not (self.offered or self.completed or self.abandoned)


class Counts:
    """Counts that are still growing: of the tick that is running, or of all ticks so far."""

    __slots__ = (
        "abandoned", "admitted", "blocked", "completed", "failed", "offered", "shed", "turned_away"
    )  # fmt: skip

    def __init__(self) -> None:
        self.offered: list[int] = []
        self.admitted: list[int] = []
        self.turned_away: list[int] = []
        self.blocked: list[int] = []
        self.completed: list[int] = []
        self.shed: list[int] = []
        self.failed: list[int] = []
        self.abandoned: list[int] = []

    def frozen(self, capacity_per_s: float, queue: int = 0, in_flight: int = 0) -> LaneTick:
        """The counts as those of a finished tick with this capacity in force."""
        return LaneTick(
            capacity_per_s=capacity_per_s,
            offered=tuple(self.offered),
            admitted=tuple(self.admitted),
            turned_away=tuple(self.turned_away),
            blocked=tuple(self.blocked),
            completed=tuple(self.completed),
            shed=tuple(self.shed),
            failed=tuple(self.failed),
            abandoned=tuple(self.abandoned),
            queue=queue,
            in_flight=in_flight,
        )

    def add(self, tick: LaneTick) -> None:
        """Add the counts of a finished tick."""
        add(self.offered, tick.offered)
        add(self.admitted, tick.admitted)
        add(self.turned_away, tick.turned_away)
        add(self.blocked, tick.blocked)
        add(self.completed, tick.completed)
        add(self.shed, tick.shed)
        add(self.failed, tick.failed)
        add(self.abandoned, tick.abandoned)


@dataclass(frozen=True, slots=True)
class FinishedTick:
    """All lanes in one tick, with how late the event loop came to its end and the CPU time used."""

    seq: int
    t_s: float
    lag_s: float
    cpu_s: float
    lanes: Mapping[str, LaneTick]


class Meter:
    """Keeps the last `kept` finished ticks, without a gap in their numbers.

    A tick is closed by whoever first comes after its end, often an attempt. It is finished once
    the ticker has come and said how late it was; only finished ticks can be read.
    """

    def __init__(self, grid: TickGrid, kept: int) -> None:
        self._grid = grid
        self._closed: deque[tuple[int, Mapping[str, LaneTick]]] = deque(maxlen=kept)
        self._finished: deque[FinishedTick] = deque(maxlen=kept)

    def close(self, seq: int, lanes: Mapping[str, LaneTick]) -> None:
        """Tick `seq` is over."""
        self._closed.append((seq, lanes))

    def finish(self, now_s: float, cpu_s: float) -> None:
        """The ticker came at `now_s`, having seen `cpu_s` of CPU time since it last came.

        Where it missed ticks, each is as late as the ticker came after its end, and the CPU time
        is shared among them.
        """
        share_s = cpu_s / len(self._closed) if self._closed else 0.0
        while self._closed:
            seq, lanes = self._closed.popleft()
            lag_s = max(0.0, now_s - self._grid.start_s(seq + 1))
            self._finished.append(FinishedTick(seq, self._grid.start_s(seq), lag_s, share_s, lanes))

    @property
    def last(self) -> FinishedTick | None:
        """The newest finished tick that is kept."""
        return self._finished[-1] if self._finished else None

    def finished(self, after: int | None, limit: int) -> list[FinishedTick]:
        """Up to `limit` kept ticks numbered above `after` (None: from the oldest), in order."""
        if not self._finished:
            return []
        skip = 0 if after is None else max(0, after + 1 - self._finished[0].seq)
        return list(islice(self._finished, skip, skip + limit))

    def clear(self) -> None:
        """Forget all ticks; numbers go on growing."""
        self._closed.clear()
        self._finished.clear()
