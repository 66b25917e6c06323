"""Sends the marked requests one after another, and reads back what became of each."""

import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from faults.admin import AdminClient, Trace
from faults.signals import StoppedBySignalError, StopSignals
from loadtests.audit.answer import Answer, End, Sender
from loadtests.audit.course import Audit, Closure, Course
from loadtests.audit.disturbing import disturbances, in_use
from loadtests.audit.raising import Raiser
from loadtests.audit.refusals import Probe, Refusal, plan
from loadtests.audit.refusing import Refuser

QUIET_S = 0.1
"""A trace that has not grown for so long is over, once the client has been answered."""
LEFT_BEHIND_S = 1.5
"""The same where the client gave up: what stands between may go on without it."""
REOPENS_WITHIN_S = 15.0
"""How long to wait for an entry that lets nothing through after a refusal."""
_OUT_OF_SERVICE = frozenset({502, 503, 504})
"""What a layer answers by itself where it sees no server to pass a request on to."""
_POLL_S = 0.5
_MARGIN_S = 30.0
"""A fault outlives what it is for by this, should nobody take it back."""

Progress = Callable[[str, int, int], None]
"""Is told what is being tried, how many are done, and of how many."""


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """What to try, in which lane. `pause_s` seconds lie before each refusal."""

    entry: str
    target: str
    methods: tuple[str, ...]
    refusals: tuple[Refusal, ...]
    lane: str = "audit"
    timeout_s: float = 10.0
    pause_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


class LaneInUseError(RuntimeError):
    """Something else is in force in the lane already, so that nothing can be told apart."""


class Auditor:
    """One audit. What it has seen can be read at any time, also when it is stopped halfway."""

    def __init__(
        self,
        admin: AdminClient,
        sender: Sender,
        wanted: AuditPlan,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Nothing is sent yet."""
        self._admin = admin
        self._sender = sender
        self._plan = wanted
        self._sleep = sleep
        self._signals = StopSignals()
        longest_s = 2 * wanted.timeout_s + _MARGIN_S
        self._refuser = Refuser(admin, wanted.lane, longest_s, sleep)
        self._raiser = Raiser(admin, wanted.lane, self._signals, sleep)
        self._healthy: list[Course] = []
        self._courses: list[Course] = []
        self._closures: list[Closure] = []
        self._polls: list[Course] = []
        self._first_seq = 0
        self._strangers = 0
        self._stopped = False

    @property
    def still_refusing(self) -> str | None:
        """Why a refusal could not be taken back, if one could not; it ends by itself."""
        failed = self._refuser.take_back_error
        return None if failed is None else str(failed)

    @property
    def still_raised(self) -> str | None:
        """Why the lane's capacity could not be set back, if it could not."""
        failed = self._raiser.set_back_error
        return None if failed is None else str(failed)

    @property
    def found_raised_per_s(self) -> float | None:
        """What the lane is set to at the end, where an earlier audit had left it raised."""
        return self._raiser.found_raised_per_s

    def audit(self) -> Audit:
        """What has been seen so far."""
        return Audit(
            entry=self._plan.entry,
            target=self._plan.target,
            lane=self._plan.lane,
            timeout_s=self._plan.timeout_s,
            requests=(*self._healthy, *self._courses),
            closures=tuple(self._closures),
            strangers=self._strangers,
            stopped=self._stopped,
        )

    def run(self, progress: Progress) -> None:
        """Try everything. Raises `AdminError`, `LaneInUseError` and `StoppedBySignalError`."""
        self._signals.install()
        try:
            self._begin()
            with self._raiser.raised():
                self._try_all(progress)
            self._strangers = self._count_strangers()
        except StoppedBySignalError:
            self._stopped = True
            raise
        finally:
            self._signals.restore()

    def _try_all(self, progress: Progress) -> None:
        methods = self._arriving(progress)
        for done, probe in enumerate(plan(self._plan.refusals, methods), len(self._healthy)):
            assert probe.refusal is not None  # noqa: S101 - a plan has nothing else
            progress(f"{probe.method}, {probe.refusal.noun}", done, self._number)
            self._sleep(self._plan.pause_s)
            self._courses.append(self._refused(probe, probe.refusal))

    @property
    def _number(self) -> int:
        return len(self._plan.methods) * (1 + len(self._plan.refusals))

    def _begin(self) -> None:
        self._admin.dips()  # raises for a gateway: it has lanes as well, and no faults
        self._admin.register_lanes([self._plan.lane])
        state = self._admin.state()
        if (other := in_use(state, self._plan.lane)) is not None:
            raise LaneInUseError(
                f"{other} in the lane {self._plan.lane}: wait until it is over, or give the audit "
                "another --lane"
            )
        self._first_seq = state.seq

    def _arriving(self, progress: Progress) -> list[str]:
        """The methods whose marked requests get through while nothing is refused."""
        for method in self._plan.methods:
            progress(f"{method}, to be served", len(self._healthy), self._number)
            self._healthy.append(self._served(method))
        return [course.probe.method for course in self._healthy if course.total]

    def _served(self, method: str) -> Course:
        seq = self._admin.state().seq
        course = self._send(Probe(method))
        if course.total == 0 and course.answer.status in _OUT_OF_SERVICE:
            course = self._once_open(course, method, lambda: self._send(Probe(method)))
        if course.total:
            return course
        return replace(course, elsewhere=self._since(seq))

    def _refused(self, probe: Probe, refusal: Refusal) -> Course:
        def refused() -> Course:
            with self._refuser.refusing(refusal) as own:
                return self._send(probe, own)

        course = refused()
        if course.total or course.answer.served:  # by a cache, say: waiting changes nothing
            return course
        return self._once_open(course, probe.method, refused)

    def _once_open(self, lost: Course, method: str, again: Callable[[], Course]) -> Course:
        """The target has been taken out of service, it seems: once more when it is back."""
        closure = self._wait_open(lost.answer, method)
        self._closures.append(closure)
        return lost if closure.lasted_s is None else again()

    def _wait_open(self, answer: Answer, method: str) -> Closure:
        began_s = time.monotonic()
        opener = "GET" if "GET" in self._plan.methods else method
        while time.monotonic() - began_s < REOPENS_WITHIN_S:
            poll = self._send(Probe(opener))
            self._polls.append(poll)
            if poll.total:
                return Closure(answer, time.monotonic() - began_s)
            self._sleep(_POLL_S)
        return Closure(answer, None)

    def _send(self, probe: Probe, own: str | None = None) -> Course:
        """`own` is the id of the fault that refuses it."""
        trace_id = f"audit-{uuid.uuid4().hex}"
        marks = {
            "X-Aftershock-Lane": self._plan.lane,
            "X-Aftershock-Attempt": "1",
            "X-Aftershock-Trace": trace_id,
        }
        before = self._admin.state()
        answer = self._sender.send(probe.method, {**self._plan.headers, **marks})
        trace = self._settled(trace_id, given_up=answer.end is End.TIMED_OUT)
        met = disturbances(trace.attempts, self._plan.lane, before, self._admin.state(), own)
        return Course(probe, trace_id, answer, trace.attempts, trace.left_off, disturbances=met)

    def _settled(self, trace_id: str, *, given_up: bool) -> Trace:
        """The trace once it grows no more, or has grown for as long as a request may take."""
        seen, until_s = -1, time.monotonic() + self._plan.timeout_s + LEFT_BEHIND_S
        while True:
            trace = self._admin.trace(trace_id)
            total = len(trace.attempts) + trace.left_off
            if total == seen or time.monotonic() > until_s:
                return trace
            seen = total
            self._sleep(LEFT_BEHIND_S if given_up else QUIET_S)

    def _since(self, seq: int) -> dict[str, int]:
        """Attempts by lane from this tick to the one that is running, which is waited for."""
        state = self._admin.state()
        self._sleep(2 * state.tick_s)
        offered: Counter[str] = Counter()
        for row in self._admin.ticks(after=seq - 1):
            for lane, tick in row.lanes.items():
                offered[lane] += sum(tick.offered)
        return {lane: number for lane, number in offered.items() if number}

    def _count_strangers(self) -> int:
        """Attempts in the lane that are not ours; ours may have lost their marks on the way."""
        sent = self._healthy + self._courses + self._polls
        ours = sum(course.total + course.elsewhere.get(self._plan.lane, 0) for course in sent)
        return max(0, self._since(self._first_seq).get(self._plan.lane, 0) - ours)
