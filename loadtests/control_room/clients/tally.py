"""What the clients counted, as it is recorded: totals of the run and of the process.

Standard library only: every Locust process has a tally, and a load generator must stay light. Ticks
are not looked at here, for the target is asked for them by whoever draws them.
"""

import math
import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from loadtests.control_room.clients.by_due import ByDue
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

    def take_off(self, line: Requests) -> None:
        self.requests -= line.issued
        self.succeeded -= line.succeeded
        self.attempts -= line.attempts
        self.failed.subtract(line.failed)
        self.failed = +self.failed

    def frozen(self) -> LaneTotals:
        return LaneTotals(self.requests, self.succeeded, dict(self.failed), self.attempts)


class ClientTally:
    """Hears the lines of a record and adds up those of the clients."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives the time in epoch seconds where `take` is not told it."""
        self._clock = clock
        self._life: dict[str, _Sum] = {}
        """What was counted in all runs, whenever it was due."""
        self.lateness: Counter[int] = Counter()
        """How late attempts left, over the process's life: bucket (tenths of a ms) to count."""
        self._header: Header | None = None
        self._run: dict[str, _Sum] = {}
        self._begin()

    def _begin(self) -> None:
        """Nothing is counted of the run that begins."""
        self._ended: End | None = None
        self._run = {}
        self._due = ByDue(self._header.tick_s if self._header else 0.1)
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
                    self._end(line)
                case _:
                    pass

    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the newest run: those of its header, then those that appeared later."""
        known = {lane.lane: lane for lane in (self._header.lanes if self._header else ())}
        for name in self._run:
            known.setdefault(name, Lane(name, name))
        return tuple(known.values())

    def of(self, lane: str) -> LaneTotals:
        """What is counted of a lane in the newest run, where the report looks at it.

        That is of the requests that were due from `observe_from_s` to the end of the load.
        """
        found = self._run.get(lane)
        return found.frozen() if found else LaneTotals()

    def requests_before(self, lane: str, t_s: float) -> int:
        """Of those, the requests that were due before `t_s`, in seconds from the anchor."""
        return self.of(lane).requests - self._due.total(lane, t_s, self._end_s()).issued

    @property
    def due(self) -> ByDue:
        """All requests of the newest run, by when they were due; of the newest bins."""
        return self._due

    def lifetime(self) -> Mapping[str, LaneTotals]:
        """What is counted over all runs of this process, by lane; of the many, as `OTHER`."""
        return {name: total.frozen() for name, total in self._life.items()}

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
        known = line.lane in self._life or len(self._life) < MAX_LANES - 1
        self._life.setdefault(line.lane if known else OTHER, _Sum()).add(line)
        run = self._run.get(line.lane)
        if run is None:
            if len(self._run) >= MAX_LANES:  # a record may name any number
                return
            run = self._run[line.lane] = _Sum()
        self._due.add(line)
        if self._is_observed(line.t_s):
            run.add(line)
        # Told at a second's end, but at the run's end before it: what was due in a second that has
        # only begun did not end in the one before.
        second = max(int(self._since_anchor(now_s) // 1.0) - 1, int(line.t_s // 1.0))
        self._seconds.add(line, second)

    def _is_observed(self, bin_s: float) -> bool:
        """Whether the report looks at the bin that begins then: by its middle, as the report."""
        if self._header is None:
            return True
        middle_s = bin_s + self._header.tick_s / 2
        return self._header.observe_from_s <= middle_s < self._end_s()

    def _end_s(self) -> float:
        """The end of the load, as far as it is known, in seconds from the anchor."""
        planned_s = self._header.planned_end_s if self._header else None
        ends = [planned_s, self._ended.t_s if self._ended else None]
        return min((end for end in ends if end is not None), default=math.inf)

    def _end(self, end: End) -> None:
        """Requests that were due after the load's end were told before it was known."""
        until_s = self._end_s()
        self._ended = end
        from_s = max(end.t_s, self._header.observe_from_s if self._header else 0.0)
        for lane, run in self._run.items():
            run.take_off(self._due.total(lane, from_s, until_s))

    def _since_anchor(self, now_epoch_s: float) -> float:
        return now_epoch_s - (self._header.anchor_epoch_s if self._header else 0.0)
