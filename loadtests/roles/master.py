"""The master of a distributed test: it owns the run, and its workers have the users."""

import logging
import time

import gevent
from locust.env import Environment
from locust.runners import STATE_MISSING, MasterRunner

from loadtests.closing import COUNTS_S
from loadtests.policies.scope import StateScope
from loadtests.recording import Recorder, Told
from loadtests.roles.messages import COUNTS, FLUSH, TRAVELLING, Message, Travelling, lines_of
from loadtests.roles.owner import RunOwner
from loadtests.roles.role import OnFailure
from loadtests.settings import Settings

log = logging.getLogger("aftershock")

FLUSH_TIMEOUT_S = 5.0
LAST_LOST = "the last worker was lost"


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
            self.recorder.add(*lines_of(msg.data))
