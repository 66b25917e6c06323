"""The process that owns a run: it triggers the dips, writes the record, has the report made."""

import logging
import os
import time

import gevent
from locust.env import Environment

from loadtests.client import RunClock
from loadtests.closing import RECORD_S, Leaving, make_report
from loadtests.processes import PARENT_VARIABLE
from loadtests.recording import Recorder, Told
from loadtests.roles.lanes import lanes_of
from loadtests.roles.role import AnyRunner, OnFailure, Role
from loadtests.settings import Settings
from loadtests.target_link import connect
from reports.record import EARLY_END_S

log = logging.getLogger("aftershock")


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


def _reason(recorder: Recorder, ended_s: float, failure: str) -> str:
    if failure:
        return f"error: {failure}"
    planned_s = recorder.settings.planned_end_s
    early = planned_s is not None and ended_s < planned_s - EARLY_END_S
    return "interrupted" if early else "finished"
