"""Writes records whose storms are known exactly, line by line through the real writer's encoder."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reports.record import (
    RECORD_NAME,
    Action,
    End,
    Fault,
    Header,
    Health,
    Lane,
    LayerTick,
    Line,
    Requests,
    Tick,
    bucket_of,
    encode,
)

TICK_S = 0.1


@dataclass(frozen=True)
class Served:
    """What became of attempts in one tick, and what was left at its end."""

    admitted: int
    completed: int
    abandoned: int = 0
    queue: int = 0
    in_flight: int = 0
    blocked: int = 0
    shed: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Shape:
    """One lane: offered load in whole attempts per tick, by attempt number from the first on.

    `served` says what becomes of attempts, tick by tick; without it those that fit are admitted and
    completed in their tick. `layers` are the attempts that arrive at each gateway, by its name.
    `capacity` is the lane's own where it has one; `appears` is the first tick that has a line.
    """

    lane: str
    offered: Sequence[Sequence[int]]
    policy: str | None = None
    describe: str = ""
    requests: tuple[Requests, ...] = ()
    opaque: bool = False
    served: Sequence[Served] | None = None
    layers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    capacity: Callable[[int], float] | None = None
    appears: int = 0


@dataclass(frozen=True)
class Made:
    """A record to be written: a dip to 20/s from 10 s to 12 s of a run of 42 s, unless said."""

    shapes: Sequence[Shape]
    ticks: int = 420
    capacity: Callable[[int], float] = lambda tick: 2.0 if 100 <= tick < 120 else 10.0
    dips: Sequence[Fault] = (Fault("dip", "dip-1", 10.0, 12.0, "20/s"),)
    actions: Sequence[Action] = ()
    cpu: Mapping[str, float] = field(default_factory=dict)
    late_ms: Mapping[str, float] = field(default_factory=dict)
    source: str = "live"
    scenario: Mapping[str, object] = field(default_factory=dict)
    target: Mapping[str, object] | None = None
    planned_end_s: float | None = 42.0
    observe_from_s: float = 0.0
    end: End | None = field(default_factory=lambda: End(42.0))
    tick_s: float = TICK_S

    def header(self) -> Header:
        return Header(
            id="20261130-101500",
            name="one-dip",
            source=self.source,
            anchor_epoch_s=1796033700.0,
            tick_s=self.tick_s,
            seed=7,
            lanes=tuple(
                Lane(s.lane, s.policy or s.lane, s.describe, s.opaque) for s in self.shapes
            ),
            scenario=self.scenario,
            versions={"aftershock": "0.1.0", "python": "3.11.2"},
            observe_from_s=self.observe_from_s,
            planned_end_s=self.planned_end_s,
            target=self.target,
        )

    def lines(self) -> list[Line]:
        """All lines, in the order in which a run would write them."""
        a_second = round(1 / self.tick_s)
        found: list[Line] = [self.header(), *self.dips, *self.actions]
        for tick in range(self.ticks):
            found += [self._tick(shape, tick) for shape in self.shapes if tick >= shape.appears]
            found += [
                LayerTick(
                    tick + 1000, tick * self.tick_s + 0.03, name, shape.lane, [0, counts[tick]]
                )
                for shape in self.shapes
                for name, counts in shape.layers.items()
            ]
            if (tick + 1) % a_second == 0:
                found += self._health(tick // a_second)
        for shape in self.shapes:
            found += shape.requests
        return found if self.end is None else [*found, self.end]

    def encoded(self) -> bytes:
        return "".join(encode(line) + "\n" for line in self.lines()).encode()

    def write(self, folder: Path) -> Path:
        """Write the record into `folder` and return the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD_NAME).write_bytes(self.encoded())
        return folder

    def but(self, **changes: object) -> "Made":
        return replace(self, **changes)  # type: ignore[arg-type]

    def _tick(self, shape: Shape, tick: int) -> Tick:
        offered = [0, *(shape.offered[tick] if tick < len(shape.offered) else ())]
        capacity = (shape.capacity or self.capacity)(tick)
        per_s = capacity / self.tick_s
        if shape.served is not None:
            return _served(shape, tick, offered, per_s)
        room = int(capacity)
        served = []
        for count in offered:
            served.append(min(count, room))
            room -= served[-1]
        away = [o - s for o, s in zip(offered, served, strict=True)]
        return Tick(tick, tick * self.tick_s, shape.lane, per_s, offered, served, away, served, [])

    def _health(self, second: int) -> Iterable[Health]:
        for source in ("generator", "target"):
            late = Counter({bucket_of(self.late_ms.get(source, 1.0) * 10): 50})
            yield Health(float(second), source, source, self.cpu.get(source, 0.4), late)


def _served(shape: Shape, tick: int, offered: list[int], per_s: float) -> Tick:
    """A tick whose attempts, all first ones, became what the shape says."""
    assert shape.served is not None
    now = shape.served[tick]
    away = sum(offered) - now.admitted
    return Tick(
        tick,
        tick * TICK_S,
        shape.lane,
        per_s,
        offered,
        [0, now.admitted],
        [0, away],
        [0, now.completed],
        [0, now.abandoned],
        now.queue,
        [0, now.blocked],
        [0, now.shed],
        [0, now.failed],
        now.in_flight,
    )


def plain(totals: Sequence[int], first: int = 9) -> list[list[int]]:
    """Offered load: up to `first` a tick are first attempts, the others first retries."""
    return [[min(first, total), max(0, total - first)] for total in totals]


def storm(length: int, height: int = 20, calm: int = 9, ticks: int = 420) -> list[int]:
    """Load of `calm` a tick, but `height` from the dip's start to `length` ticks after its end."""
    return [height if 100 <= tick < 120 + length else calm for tick in range(ticks)]
