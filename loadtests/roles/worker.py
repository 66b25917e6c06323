"""A worker of a distributed test: it has users, and sends what they count to the master."""

import time

from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests.client import RunClock
from loadtests.counting import Counting
from loadtests.roles.messages import COUNTS, FLUSH, TRAVELLING, Message, Travelling, counts_of
from loadtests.roles.numbering import user_numbers
from loadtests.roles.role import OnFailure, Role
from loadtests.settings import Settings


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
        self.runner.send_message(COUNTS, dict(counts_of(requests, health, final=final)))
