"""What Locust says of its test: its state, its users, and who runs them."""

import time
from collections.abc import Callable
from pathlib import Path

from locust.env import Environment
from locust.runners import STATE_CLEANUP, STATE_STOPPING, MasterRunner

from loadtests.control_room.clients.workers import Worker
from loadtests.control_room.live.drawn import RunNow
from loadtests.control_room.recorded.runs import newest
from reports.record import HTML_NAME

LOOKED_S = 1.0
"""How often the folder of runs is looked into, however many look at the page."""
LOCAL = "local"
"""The only process, as the record names it."""


class Running:
    """The test of one environment, and the folder of its runs."""

    def __init__(
        self,
        environment: Environment,
        runs_dir: Path,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is looked at yet."""
        self._environment = environment
        self._runs_dir = runs_dir
        self._clock = clock
        self._looked_s = -LOOKED_S
        self._newest: str | None = None
        self._has_report = False

    @property
    def users(self) -> int:
        """How many run."""
        runner = self._environment.runner
        return int(runner.user_count) if runner is not None else 0

    def now(self) -> RunNow:
        """As it stands."""
        runner = self._environment.runner
        state = str(runner.state) if runner is not None else "ready"
        if state == STATE_CLEANUP:
            state = STATE_STOPPING
        self._look()
        host = self._environment.host
        return RunNow(state, self.users, self._has_report, self._newest, host)

    def workers(self) -> list[Worker]:
        """The workers, by the names that they have in the record; in one process that alone."""
        runner = self._environment.runner
        if runner is None:
            return []
        if not isinstance(runner, MasterRunner):
            return [Worker(LOCAL, str(runner.state), self.users)]
        return [
            Worker(
                f"worker-{runner.worker_indexes[node.id]}", str(node.state), int(node.user_count)
            )
            for node in list(runner.clients.values())
            if node.id in runner.worker_indexes
        ]

    def _look(self) -> None:
        now_s = self._clock()
        if now_s - self._looked_s < LOOKED_S:
            return
        self._looked_s = now_s
        self._newest = newest(self._runs_dir)
        report = self._runs_dir / (self._newest or "") / HTML_NAME
        self._has_report = self._newest is not None and report.is_file()
