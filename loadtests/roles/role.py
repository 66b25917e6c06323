"""The part of a process in a run, whichever it is."""

from collections.abc import Callable
from typing import Generic, TypeVar

import gevent
import gevent.pool
from locust.env import Environment
from locust.runners import Runner

from loadtests.client import RunClock
from loadtests.counting import Counting
from loadtests.settings import Settings

OnFailure = Callable[[BaseException], None]
AnyRunner = TypeVar("AnyRunner", bound=Runner)


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
