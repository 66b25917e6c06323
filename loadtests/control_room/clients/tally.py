"""What the clients counted, as it is recorded: totals of the run and of the process.

Standard library only: every Locust process has a tally, and a load generator must stay light. Ticks
are not looked at here, for the target is asked for them by whoever draws them.
"""

import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loadtests.control_room.clients.by_second import BySecond, oldest_kept
from loadtests.control_room.clients.vitals import Vitals, WorkerVitals
from reports.record import End, Fault, Header, Health, Lane, Line, Requests
from target_service.limits import MAX_LANES

OTHER = "other"
"""Where the counts of further lanes go, in those of the process's life."""


@dataclass(frozen=True, slots=True)
class LaneTotals:
    """What is counted of one lane. `failed` is by reason."""

    requests: int = 0
    succeeded: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    attempts: int = 0

    @property
    def all_failed(self) -> int:
        """Requests that failed, for whatever reason."""
        return sum(self.failed.values())


@dataclass(frozen=True, slots=True)
class Seconds:
    """Requests that succeeded and failed in each second from `start_epoch_s` on."""

    start_epoch_s: float
    succeeded: "array[int]"
    failed: "array[int]"


class _Sum:
    """Totals that are still growing."""

    __slots__ = ("attempts", "failed", "requests", "succeeded")

    def __init__(self) -> None:
        self.requests = self.succeeded = self.attempts = 0
        self.failed: Counter[str] = Counter()

    def add(self, line: Requests) -> None:
        self.requests += line.issued
        self.succeeded += line.succeeded
        self.attempts += line.attempts
        for reason, number in line.failed.items():
            self.failed[reason] += number

    def include(self, other: "_Sum") -> None:
        self.requests += other.requests
        self.succeeded += other.succeeded
        self.attempts += other.attempts
        self.failed.update(other.failed)

    def frozen(self) -> LaneTotals:
        return LaneTotals(self.requests, self.succeeded, dict(self.failed), self.attempts)


class ClientTally:
    """Hears the lines of a record and adds up those of the clients."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives the time in epoch seconds where `take` is not told it."""
        self._clock = clock
        self._earlier: dict[str, _Sum] = {}
        """What was counted in the runs before the newest."""
        self.lateness: Counter[int] = Counter()
        """How late attempts left, over the process's life: bucket (tenths of a ms) to count."""
        self._header: Header | None = None
        self._run: dict[str, _Sum] = {}
        self._begin()

    def _begin(self) -> None:
        """Nothing is counted of the run that begins."""
        self._earlier = self._life()
        self._ended: End | None = None
        self._run = {}
        self._seconds = BySecond()
        self._vitals = Vitals()
        self._spikes: dict[str, Fault] = {}

    @property
    def run(self) -> Header | None:
        """The header of the newest run of this process; its counts begin anew with it."""
        return self._header

    @property
    def ended(self) -> End | None:
        """The end of that run, once it has ended."""
        return self._ended

    @property
    def going(self) -> Header | None:
        """The header of that run while it goes on."""
        return self._header if self._ended is None else None

    @property
    def spikes(self) -> tuple[Fault, ...]:
        """The load spikes of that run, which no target knows of; seconds from its anchor."""
        return tuple(self._spikes.values())

    def take(self, lines: Sequence[Line], now_epoch_s: float | None = None) -> None:
        """Lines that have just been recorded. A header begins a run."""
        now_s = self._clock() if now_epoch_s is None else now_epoch_s
        for line in lines:
            match line:
                case Requests():
                    self._count(line, now_s)
                case Health(source="generator"):
                    self._vitals.add(line)
                    self.lateness.update(line.late)
                case Fault(type="spike"):
                    self._spikes[line.id] = line
                case Header():
                    self._header = line
                    self._begin()
                case End():
                    self._ended = line
                case _:
                    pass

    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the newest run: those of its header, then those that appeared later."""
        known = {lane.lane: lane for lane in (self._header.lanes if self._header else ())}
        for name in self._run:
            known.setdefault(name, Lane(name, name))
        return tuple(known.values())

    def of(self, lane: str) -> LaneTotals:
        """What is counted of a lane in the newest run."""
        found = self._run.get(lane)
        return found.frozen() if found else LaneTotals()

    def lifetime(self) -> Mapping[str, LaneTotals]:
        """What is counted over all runs of this process, by lane; of the many, as `OTHER`."""
        return {name: total.frozen() for name, total in self._life().items()}

    def workers(self, now_epoch_s: float | None = None) -> tuple[WorkerVitals, ...]:
        """The newest full second of each process that has sent load in the newest run."""
        now_s = self._clock() if now_epoch_s is None else now_epoch_s
        return self._vitals.all(self._since_anchor(now_s))

    def counted_until_s(self) -> float:
        """Up to when all processes have told what they counted: epoch seconds, a whole second.

        Before the anchor as long as none has. A process that has said nothing for long is not
        waited for.
        """
        if self._header is None:
            return 0.0
        told_s = self._vitals.told_until_s()
        if self._ended is not None:
            told_s = max(told_s, self._ended.t_s)
        return self._header.anchor_epoch_s + told_s

    def seconds(self, lane: str, since_epoch_s: float) -> Seconds:
        """What was counted of a lane in each second, from the one that `since_epoch_s` lies in.

        By when the requests ended, as far as is known: a process tells its counts at the end of
        each second. The seconds are those of the run, up to `counted_until_s`; an hour is kept.
        """
        if self._header is None:
            return Seconds(0.0, array("q"), array("q"))
        anchor_s = self._header.anchor_epoch_s
        end = int(self.counted_until_s() - anchor_s + 1e-3)  # whole seconds, and only those
        begin = max(oldest_kept(end), int((since_epoch_s - anchor_s) // 1.0))
        return Seconds(anchor_s + begin, *self._seconds.of(lane, begin, max(begin, end)))

    def _count(self, line: Requests, now_s: float) -> None:
        run = self._run.get(line.lane)
        if run is None:
            if len(self._run) >= MAX_LANES:  # a record may name any number
                return
            run = self._run[line.lane] = _Sum()
        run.add(line)
        # Told at a second's end, but at the run's end before it: what was due in a second that has
        # only begun did not end in the one before.
        second = max(int(self._since_anchor(now_s) // 1.0) - 1, int(line.t_s // 1.0))
        self._seconds.add(line, second)

    def _life(self) -> dict[str, _Sum]:
        """All runs, the newest with them."""
        life: dict[str, _Sum] = {}
        for totals in (self._earlier, self._run):
            for lane, total in totals.items():
                known = lane in life or len(life) < MAX_LANES - 1
                life.setdefault(lane if known else OTHER, _Sum()).include(total)
        return life

    def _since_anchor(self, now_epoch_s: float) -> float:
        return now_epoch_s - (self._header.anchor_epoch_s if self._header else 0.0)
