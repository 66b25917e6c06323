"""The only process of a test."""

from locust.runners import LocalRunner

from loadtests.counting import Counting
from loadtests.recording import Recorder
from loadtests.roles.numbering import MAX_USERS
from loadtests.roles.owner import RunOwner


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
