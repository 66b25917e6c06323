"""Runs made of waves of load and dips of capacity, and what is true of them.

What is true is summed over the pieces, in seconds and rates: nothing here knows of ticks, windows
or episodes, nor of the code that measures them.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from reports.reading.read import parse_record
from reports.reading.series import RunRecord
from reports.record import End, Fault, Requests, bucket_of
from reports.summary import Report, fold
from tests.reports.synthetic import Made, Shape

CALM = 80.0
CAPACITY = 100.0
STORM = 200.0
LEFT = 20.0


@dataclass(frozen=True)
class Piece:
    """From one moment of the run to another something is so many per second."""

    start_s: float
    end_s: float
    per_s: float

    def at(self, t_s: float) -> bool:
        return self.start_s <= t_s < self.end_s


def wave(start_s: float, end_s: float, per_s: float = STORM) -> Piece:
    """So much load, instead of the calm one."""
    return Piece(start_s, end_s, per_s)


@dataclass(frozen=True)
class Dip:
    """A dip that leaves `left`, or another fault, which leaves the capacity alone."""

    start_s: float
    end_s: float
    left: float = LEFT
    type: str = "dip"
    lanes: tuple[str, ...] | None = None

    def concerns(self, lane: str) -> bool:
        return self.lanes is None or lane in self.lanes

    def fault(self, number: int) -> Fault:
        told = f"{self.left:g}/s" if self.type == "dip" else ""
        text = "" if self.type == "dip" else "50%"
        name = f"{self.type}-{number}"
        return Fault(self.type, name, self.start_s, self.end_s, told, text=text, lanes=self.lanes)


@dataclass(frozen=True)
class KnownLane:
    """`CALM` requests a second, each of which is sent once; in a wave retries make up the rest.

    `noise` is added to the first attempts of one tick after the other, over and over.
    """

    waves: tuple[Piece, ...] = ()
    name: str = "a"
    appears_s: float = 0.0
    noise: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class KnownRun:
    """Lanes whose capacity is lowered by dips; and by `climbs`, which no fault line tells of."""

    lanes: tuple[KnownLane, ...]
    dips: tuple[Dip, ...] = (Dip(10.0, 12.0),)
    length_s: float = 42.0
    tick_s: float = 0.1
    climbs: tuple[Piece, ...] = ()
    ended: bool = True

    def but(self, **changes: object) -> "KnownRun":
        return replace(self, **changes)  # type: ignore[arg-type]

    # What is true.

    def load(self, lane: KnownLane, t_s: float) -> float:
        """Attempts per second."""
        if t_s < lane.appears_s:
            return 0.0
        return next((one.per_s for one in lane.waves if one.at(t_s)), CALM)

    def capacity(self, lane: KnownLane, t_s: float) -> float:
        """Attempts per second; the least where several dips are in force."""
        inside = [
            dip.left
            for dip in self.dips
            if dip.type == "dip" and dip.concerns(lane.name) and dip.start_s <= t_s < dip.end_s
        ]
        return min([*inside, *(one.per_s for one in self.climbs if one.at(t_s)), CAPACITY])

    def attempts(self, lane: KnownLane, start_s: float = 0.0, end_s: float | None = None) -> float:
        return self._sum(lane, start_s, end_s, lambda t_s: self.load(lane, t_s))

    def requests(self, lane: KnownLane, start_s: float = 0.0, end_s: float | None = None) -> float:
        return self._sum(lane, start_s, end_s, lambda t_s: min(CALM, self.load(lane, t_s)))

    def failed(self, lane: KnownLane, start_s: float = 0.0, end_s: float | None = None) -> float:
        """Requests that did not fit when they were due: nobody is served later."""
        return self._sum(
            lane,
            start_s,
            end_s,
            lambda t_s: max(0.0, min(CALM, self.load(lane, t_s)) - self.capacity(lane, t_s)),
        )

    def storm(self, lane: KnownLane, start_s: float, end_s: float | None = None) -> float:
        """Attempts above capacity."""
        return self._sum(
            lane,
            start_s,
            end_s,
            lambda t_s: max(0.0, self.load(lane, t_s) - self.capacity(lane, t_s)),
        )

    def peak(self, lane: KnownLane) -> float:
        return max([CALM, *(one.per_s for one in lane.waves)])

    def _sum(
        self,
        lane: KnownLane,
        start_s: float,
        end_s: float | None,
        per_s: Callable[[float], float],
    ) -> float:
        """The integral of a rate that is the same between any two neighbours of the edges."""
        last_s = self.length_s if end_s is None else end_s
        spans: tuple[Piece | Dip, ...] = (*lane.waves, *self.dips, *self.climbs)
        inner = {lane.appears_s, *(edge for one in spans for edge in (one.start_s, one.end_s))}
        edges = [start_s, *sorted(edge for edge in inner if start_s < edge < last_s), last_s]
        return sum((after - at) * per_s((at + after) / 2) for at, after in pairwise(edges))

    # What is written.

    @property
    def ticks(self) -> int:
        return round(self.length_s / self.tick_s)

    def made(self) -> Made:
        """The record. A tick is of a piece when its middle is."""
        return Made(
            [self._shape(lane) for lane in self.lanes],
            ticks=self.ticks,
            capacity=lambda tick: CAPACITY * self.tick_s,
            dips=[dip.fault(number) for number, dip in enumerate(self.dips, 1)],
            planned_end_s=self.length_s if self.ended else None,
            end=End(self.length_s) if self.ended else None,
            tick_s=self.tick_s,
        )

    def record(self) -> RunRecord:
        return parse_record(self.made().encoded())

    def report(self, *, so_far: bool = False) -> Report:
        return _report(self, so_far)

    def _middle_s(self, tick: int) -> float:
        return (tick + 0.5) * self.tick_s

    def _counts(self, lane: KnownLane, tick: int) -> tuple[int, int]:
        """First attempts and retries that arrive in a tick."""
        load = round(self.load(lane, self._middle_s(tick)) * self.tick_s)
        first = min(load, round(CALM * self.tick_s))
        noise = lane.noise[tick % len(lane.noise)] if load else 0
        return first + noise, load - first

    def _shape(self, lane: KnownLane) -> Shape:
        return Shape(
            lane.name,
            [self._counts(lane, tick) for tick in range(self.ticks)],
            policy="p",
            requests=tuple(self._bin(lane, tick) for tick in range(self.ticks)),
            capacity=lambda tick: round(self.capacity(lane, self._middle_s(tick)) * self.tick_s, 9),
            appears=round(lane.appears_s / self.tick_s),
        )

    def _bin(self, lane: KnownLane, tick: int) -> Requests:
        first, retries = self._counts(lane, tick)
        room = self.capacity(lane, self._middle_s(tick)) * self.tick_s
        lost = max(0, first - round(room)) if first else 0
        return Requests(
            tick * self.tick_s,
            lane.name,
            issued=first,
            succeeded=first - lost,
            failed=Counter({"out-of-attempts": lost}) if lost else Counter(),
            attempts=first + retries,
            latency=Counter({bucket_of(5.0): first - lost}) if first > lost else Counter(),
        )


@cache
def _report(run: KnownRun, so_far: bool) -> Report:
    """Several tests look at the same run."""
    return fold(run.record(), so_far=so_far)
