"""What each process of a Locust test does for a run: the only one, the master, a worker.

The only process, or the master, owns the run: it triggers the dips and writes the record.
Processes with users count. Workers send their counts to the master every second.
"""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Generic, Protocol, TypedDict, TypeVar

import gevent
import gevent.pool
from locust.env import Environment
from locust.runners import STATE_MISSING, LocalRunner, MasterRunner, Runner, WorkerRunner

from loadtests.client import RunClock
from loadtests.closing import COUNTS_S, RECORD_S, Leaving, make_report
from loadtests.counting import Counting
from loadtests.policies.scope import StateScope
from loadtests.processes import PARENT_VARIABLE
from loadtests.recording import Recorder, Told
from loadtests.settings import Settings
from loadtests.target_link import connect
from reports.record import EARLY_END_S, Health, Lane, Requests, values_of

log = logging.getLogger("aftershock")

COUNTS = "aftershock-counts"
"""A worker's message: what it counted since the last."""
FLUSH = "aftershock-flush"
"""The master's message: the test is over, send what is left."""
FLUSH_TIMEOUT_S = 5.0
MAX_USERS = 1_000_000
"""More than any process spawns: bounds the blocks in which users are numbered."""
LAST_LOST = "the last worker was lost"
TRAVELLING = "aftershock_travelling"
"""A hidden option: it goes to the workers with Locust's own when a test starts."""

OnFailure = Callable[[BaseException], None]
AnyRunner = TypeVar("AnyRunner", bound=Runner)


class Travelling(TypedDict):
    """What the workers must know of the run."""

    anchor_epoch_s: float
    tick_s: float
    workers: list[int]


class Counts(TypedDict):
    """The body of a `COUNTS` message: lines of the record as plain values."""

    final: bool
    requests: list[dict[str, object]]
    health: list[dict[str, object]]


class Message(Protocol):
    """What is used of Locust's messages."""

    data: Counts
    node_id: str


class Role(Generic[AnyRunner]):
    """A process's part in a run. `counting` is there while it has users."""

    def __init__(self, environment: Environment, runner: AnyRunner, on_failure: OnFailure) -> None:
        """`on_failure` ends the test."""
        self.environment = environment
        self.runner = runner
        self.on_failure = on_failure
        self.counting: Counting | None = None
        self.loops = gevent.pool.Group()

    def start(self, settings: Settings) -> None:
        """A test begins; none of its users has yet."""
        raise NotImplementedError

    def stopping(self) -> None:
        """The test is about to stop its users."""

    def stop(self, failure: str) -> None:
        """The test is over; `failure` says why, where something went wrong."""
        raise NotImplementedError

    def quitting(self) -> None:
        """The process is told to quit: from now on nothing may take long."""

    def every_second(self, clock: RunClock, do: Callable[[], None]) -> None:
        """Call `do` at each whole second of the run, until the test stops."""

        def loop() -> None:
            while True:
                gevent.sleep(1.0 - clock.now_s() % 1.0)
                try:
                    do()
                except Exception as error:  # noqa: BLE001 - counts that get lost must end the run
                    self.on_failure(error)

        self.loops.spawn(loop)


class RunOwner(Role[AnyRunner]):
    """Writes the record and triggers the dips; `told` hears every line that is written."""

    recorder: Recorder | None = None
    ended_s: float | None = None
    """When the load ended, once it has."""
    forsaken = ""
    """Why nobody sends load any more, where that is what ended the test."""

    def __init__(
        self, environment: Environment, runner: AnyRunner, on_failure: OnFailure, told: Told
    ) -> None:
        super().__init__(environment, runner, on_failure)
        self.told = told
        self.leaving = Leaving()

    def start(self, settings: Settings) -> None:
        """Reach the target, open the record, start the load's clock."""
        lanes = lanes_of(self.environment)
        link = connect(settings, tuple(lane.lane for lane in lanes))
        now_s = time.monotonic()
        clock = RunClock(link.tick_before(now_s) if link else now_s)
        anchor_epoch_s = time.time() - clock.now_s()
        recorder = Recorder(
            settings, lanes, clock, anchor_epoch_s, self.on_failure, link, self.told
        )
        recorder.start()
        self.recorder, self.ended_s, self.forsaken = recorder, None, ""
        self.prepare(recorder)
        if settings.ends_by_itself and settings.planned_end_s is not None:
            self.loops.spawn(self._quit_at, settings.planned_end_s, clock)
        if PARENT_VARIABLE in os.environ:
            self.loops.spawn(self._quit_when_orphaned, int(os.environ[PARENT_VARIABLE]))

    def stop(self, failure: str) -> None:
        """Close the record and have the report made."""
        failure = failure or self.forsaken
        self.loops.kill()
        if self.recorder is None:
            return
        self.stopping()
        self.gather(self.recorder)
        recorder, self.recorder, ended_s = self.recorder, None, self.ended_s or 0.0
        limit_s = self.leaving.left_s(RECORD_S)
        recorder.finish(ended_s, _reason(recorder, ended_s, failure), limit_s)
        log.info("record written: %s", recorder.directory)
        if not recorder.settings.ends_by_itself:
            make_report(recorder.directory, self.leaving)

    def quitting(self) -> None:
        """Close the record soon, and give the report up where it takes too long."""
        self.leaving.begin()

    def stopping(self) -> None:
        """The users are about to be stopped; a master learns up to a second later that they are."""
        if self.recorder is not None and self.ended_s is None:
            self.ended_s = self.recorder.clock.now_s()

    def prepare(self, recorder: Recorder) -> None:
        """Make ready to count."""
        raise NotImplementedError

    def gather(self, recorder: Recorder) -> None:
        """Hand the counts that are not in the record yet to it."""
        raise NotImplementedError

    def _quit_at(self, end_s: float, clock: RunClock) -> None:
        gevent.sleep(max(0.0, end_s - clock.now_s()))
        gevent.spawn(self.runner.quit)

    def _quit_when_orphaned(self, parent: int) -> None:
        """A killed `aftershock run` leaves no load behind."""
        while os.getppid() == parent:
            gevent.sleep(1.0)
        gevent.spawn(self.runner.quit)


class Single(RunOwner[LocalRunner]):
    """The only process: it owns the run and has the users."""

    def prepare(self, recorder: Recorder) -> None:
        """Count here."""
        settings, clock = recorder.settings, recorder.clock
        numbers = range(MAX_USERS)
        self.counting = Counting(
            settings, clock, recorder.tick_s, "local", numbers, self.on_failure
        )
        self.every_second(clock, lambda: self.gather(recorder))

    def gather(self, recorder: Recorder) -> None:
        """Our own counts."""
        if self.counting is not None:
            recorder.add(*self.counting.drain())


class Master(RunOwner[MasterRunner]):
    """Owns the run; its workers have the users."""

    def __init__(
        self, environment: Environment, runner: MasterRunner, on_failure: OnFailure, told: Told
    ) -> None:
        """Listens to the workers."""
        super().__init__(environment, runner, on_failure, told)
        self._flushed: set[str] = set()
        runner.register_message(COUNTS, self._take)

    def start(self, settings: Settings) -> None:
        """Raises `ValueError` for a policy whose state a whole lane shares: no two workers can."""
        for user_class in self.environment.user_classes:
            if getattr(user_class, "state_scope", None) == StateScope.LANE:
                raise ValueError(
                    f"{user_class.__name__}: scope lane needs all clients in one Locust process; "
                    "with workers, state is shared by process or client"
                )
        super().start(settings)

    def prepare(self, recorder: Recorder) -> None:
        """Tell the workers about the run, when they are told to start."""
        travelling = Travelling(
            anchor_epoch_s=recorder.anchor_epoch_s,
            tick_s=recorder.tick_s,
            workers=sorted(map(self.runner.get_worker_index, self.runner.clients)),
        )
        setattr(self.environment.parsed_options, TRAVELLING, travelling)

    def stopping(self) -> None:
        """The users are about to be stopped; or Locust stops a test that nobody loads any more.

        The last worker is then still listed, as missing; one that quit in good order is not.
        """
        states = {node.state for node in self.runner.clients.all}
        if self.recorder is not None and self.ended_s is None and states == {STATE_MISSING}:
            self.forsaken = LAST_LOST
        super().stopping()

    def gather(self, recorder: Recorder) -> None:  # noqa: ARG002 - the workers' counts come by `_take`
        """Ask the workers for what they have not sent yet, and wait for it.

        Where this process quits, that is also how they learn that their users are to stop.
        """
        asked = {node.id for node in self.runner.clients.all if node.state != STATE_MISSING}
        self._flushed.clear()
        for node_id in asked:
            self.runner.send_message(FLUSH, {}, node_id)
        deadline_s = time.monotonic() + FLUSH_TIMEOUT_S + (self.environment.stop_timeout or 0.0)
        while not asked <= self._flushed and time.monotonic() < deadline_s:
            if not self.leaving.left_s(COUNTS_S):
                break
            gevent.sleep(0.02)
        if missing := asked - self._flushed:
            log.warning("the last counts of %d workers did not come", len(missing))

    def _take(self, environment: Environment, msg: Message) -> None:  # noqa: ARG002 - Locust's call
        if msg.data["final"]:
            self._flushed.add(msg.node_id)
        if self.recorder is not None:
            self.recorder.add(
                [_requests(values) for values in msg.data["requests"]],
                [_health(values) for values in msg.data["health"]],
            )


class Worker(Role[WorkerRunner]):
    """Has users; sends what they count to the master."""

    def __init__(
        self, environment: Environment, runner: WorkerRunner, on_failure: OnFailure
    ) -> None:
        """Listens to the master."""
        super().__init__(environment, runner, on_failure)
        runner.register_message(FLUSH, self._flush)

    def start(self, settings: Settings) -> None:
        """Count, on the clock of the master's anchor."""
        self.loops.kill()
        travelling: Travelling = getattr(self.environment.parsed_options, TRAVELLING)
        clock = RunClock(time.monotonic() - (time.time() - travelling["anchor_epoch_s"]))
        index = self.runner.worker_index
        numbers = user_numbers(index, travelling["workers"])
        self.counting = Counting(
            settings, clock, travelling["tick_s"], f"worker-{index}", numbers, self.on_failure
        )
        self.every_second(clock, self._send)

    def stop(self, failure: str) -> None:  # noqa: ARG002 - the record is the master's
        """Send what is counted, for a worker that is ended alone never hears from its master.

        Then go on: the master says when it has all that it wants.
        """
        self._send()

    def _flush(self, environment: Environment, msg: Message) -> None:  # noqa: ARG002 - Locust's call
        if self.counting is not None:
            # Users that went on would load the target with what nobody counts any more.
            self.runner.stop()
        self.loops.kill()
        self._send(final=True)

    def _send(self, *, final: bool = False) -> None:
        # One that came too late to get users has counted nothing, and says so when it is asked.
        requests, health = self.counting.drain() if self.counting else ([], [])
        counts: Counts = {
            "final": final,
            "requests": [values_of(line) for line in requests],
            "health": [values_of(line) for line in health],
        }
        self.runner.send_message(COUNTS, dict(counts))


def role_of(
    environment: Environment, on_failure: OnFailure, told: Told
) -> Single | Master | Worker:
    """The part of this process, by its runner. `told` hears what is recorded in it."""
    match environment.runner:
        case MasterRunner() as runner:
            return Master(environment, runner, on_failure, told)
        case WorkerRunner() as runner:
            return Worker(environment, runner, on_failure)
        case LocalRunner() as runner:
            return Single(environment, runner, on_failure, told)
        case other:
            raise TypeError(f"a Locust runner of an unknown kind: {other!r}")


def user_numbers(index: int, workers: list[int]) -> range:
    """The numbers for the users of the worker with this index, no other worker having them.

    Workers that were there at the start take turns, so that the arrivals of all users lie evenly
    between each other. Locust's indexes have gaps, and a worker may join a test that runs: it
    gets a block of its own.
    """
    if index in workers:
        return range(workers.index(index), MAX_USERS, len(workers))
    return range(MAX_USERS * (index + 1), MAX_USERS * (index + 2))


def lanes_of(environment: Environment) -> tuple[Lane, ...]:
    """The lanes that the chosen user classes load; classes that share one are named together."""
    lines: dict[str, list[Lane]] = {}
    for user_class in environment.user_classes:
        lane_line = getattr(user_class, "lane_line", None)
        line = lane_line() if lane_line is not None else None  # others' users have none
        if isinstance(line, Lane):
            lines.setdefault(line.lane, []).append(line)
    return tuple(
        Lane(
            lane,
            " + ".join(line.policy for line in shared),
            "; ".join(line.describe for line in shared),
            any(line.opaque for line in shared),
        )
        for lane, shared in lines.items()
    )


def _reason(recorder: Recorder, ended_s: float, failure: str) -> str:
    if failure:
        return f"error: {failure}"
    planned_s = recorder.settings.planned_end_s
    early = planned_s is not None and ended_s < planned_s - EARLY_END_S
    return "interrupted" if early else "finished"


def _requests(values: dict[str, object]) -> Requests:
    """A line that has travelled: its counters have become plain maps."""
    line = Requests(**values)  # type: ignore[arg-type]  # made by `values_of` in our own worker
    line.failed, line.latency = Counter(line.failed), Counter(line.latency)
    return line


def _health(values: dict[str, object]) -> Health:
    line = Health(**values)  # type: ignore[arg-type]  # made by `values_of` in our own worker
    line.late = Counter(line.late)
    return line
