"""Ties Locust's events to a run. Importing this module registers the listeners, so any locustfile
with an `OpenLoopUser` writes a record, by itself or distributed.
"""

import gc
import logging
from collections.abc import Sequence
from typing import ClassVar

import gevent
from gevent import GreenletExit
from gevent.event import Event
from locust import events
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment
from locust.runners import LocalRunner

from loadtests.control_room.clients.tally import ClientTally
from loadtests.counting import Counting
from loadtests.roles import role_of
from loadtests.settings import add_arguments, read_settings, take_launch
from reports.record import Line

STOP_TIMEOUT_S = 6.0
"""How long a process that quits waits for a test that is being closed: longer than that takes."""

RUNNER_TIMEOUT_S = 10.0

log = logging.getLogger("aftershock")


class Swarm:
    """One Locust environment and the run that is going on in it."""

    _all: ClassVar[dict[Environment, "Swarm"]] = {}

    @classmethod
    def of(cls, environment: Environment) -> "Swarm":
        """The swarm of an environment; made at its first asking."""
        swarm = cls._all.get(environment)
        if swarm is None:
            swarm = cls._all[environment] = cls(environment)
        return swarm

    def __init__(self, environment: Environment) -> None:
        """Nothing runs yet. The environment must have its runner."""
        self._environment = environment
        self.tally = ClientTally()
        """What the clients counted, for whoever watches."""
        # Without pages nobody can watch, and nothing is kept for it.
        told = self.tally.take if environment.web_ui is not None else _to_nobody
        self._role = role_of(environment, self.fail, told)
        self._failure = ""
        self._started = False
        self._stopped = Event()
        self._stopped.set()
        if environment.parsed_options is None:
            raise TypeError("an environment without options: make it by Locust's command line")
        self._options = environment.parsed_options
        self.launch = take_launch(self._options, environment.host or "")

    @property
    def counting(self) -> Counting:
        """What the users of this process share. Raises `RuntimeError` when no test could start."""
        if self._role.counting is None:
            raise RuntimeError(f"the test did not start: {self._failure or 'no test is running'}")
        return self._role.counting

    def start(self) -> None:
        """A test begins: none of its users has yet."""
        self._failure, self._started = "", False
        self._role.counting = None
        _spare_collections()
        self._role.start(read_settings(self._options, self._host(), self.launch))
        self._started = True

    def stopping(self) -> None:
        """The test is about to stop its users."""
        self._stopped.clear()
        self._role.stopping()

    def stop(self) -> None:
        """The test is over."""
        try:
            self._role.stop(self._failure)
        finally:
            self._stopped.set()

    def closing(self) -> bool:
        """Whether a test is being stopped, up to the end of its report."""
        return not self._stopped.is_set()

    def quit(self) -> None:
        """The process quits. Wait until a test that is being closed is, which is now soon."""
        self._role.quitting()
        self._stopped.wait(STOP_TIMEOUT_S)

    def fail(self, error: BaseException, exit_code: int = 1) -> None:
        """The run cannot go on: say why, and end the test. The first failure is the reason."""
        if self._failure:
            return
        began = "the run was ended" if self._started else "the test could not start"
        log.error("%s: %s", began, error)
        self._failure = str(error)
        self._environment.process_exit_code = exit_code
        runner = self._environment.runner
        if runner is not None:
            runner.log_exception("aftershock", f"{began}: {error}", "")  # the web UI lists these
            # Later, because a listener of the start may not stop what is about to start.
            gevent.spawn_later(0.1, runner.stop if self._environment.web_ui else runner.quit)

    def _host(self) -> str:
        hosts = [self._environment.host, *(cls.host for cls in self._environment.user_classes)]
        host = next((host for host in hosts if host), None)
        if host is None:
            raise ValueError("no host: say which service to load with --host http://HOST:PORT")
        return host


def _to_nobody(lines: Sequence[Line]) -> None:
    """What is recorded is heard by nobody else."""


def _spare_collections() -> None:
    """Keep what is here by now, most of it modules, out of the garbage collector's way.

    A full collection would stop the load for a tenth of a second, and on a busy machine for most
    of one. It comes in the storm, which is when objects pile up.
    """
    gc.unfreeze()  # of a test before
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def _add_options(parser: LocustArgumentParser) -> None:
    add_arguments(parser)


def _on_init(environment: Environment, **_: object) -> None:
    # The loop's clock stood still while locustfiles were imported, and Locust's timer of the run
    # time would begin when it stopped.
    gevent.get_hub().loop.update_now()
    swarm = Swarm.of(environment)
    # Heard in the reverse order, so before the master's runner, which stops its test then.
    environment.events.quitting.add_listener(_on_quitting)  # type: ignore[no-untyped-call]  # Locust's
    if environment.web_ui is not None:
        # Only now: a process without pages need not carry what they are made with.
        from loadtests.control_room.web import install  # noqa: PLC0415

        install(environment, swarm.tally, swarm.launch, swarm.closing)


def await_runner(environment: Environment, limit_s: float = RUNNER_TIMEOUT_S) -> None:
    """Until the environment has its runner.

    A worker that joins a running test is told to start while its runner is still being made.
    """
    with gevent.Timeout(limit_s, exception=False):
        while environment.runner is None:
            gevent.sleep(0.01)


def _on_test_start(environment: Environment, **_: object) -> None:
    await_runner(environment)
    swarm = Swarm.of(environment)
    try:
        swarm.start()
    except Exception as error:  # noqa: BLE001 - Locust would log it and load the target unrecorded
        swarm.fail(error, exit_code=2 if isinstance(error, ValueError) else 1)
        if isinstance(environment.runner, LocalRunner):
            raise GreenletExit from None  # ends the greenlet that would spawn the users now


def _on_test_stopping(environment: Environment, **_: object) -> None:
    Swarm.of(environment).stopping()


def _on_test_stop(environment: Environment, **_: object) -> None:
    swarm = Swarm.of(environment)
    try:
        swarm.stop()
    except Exception as error:  # noqa: BLE001 - Locust would log it and exit as if all were well
        swarm.fail(error)


def _on_quitting(environment: Environment, **_: object) -> None:
    """A storm always has failed requests; that is the result, not an error of the test."""
    if environment.process_exit_code is None:
        environment.process_exit_code = 0
    Swarm.of(environment).quit()


_LISTENERS = (
    (events.init_command_line_parser, _add_options),
    (events.init, _on_init),
    (events.test_start, _on_test_start),
    (events.test_stopping, _on_test_stopping),
    (events.test_stop, _on_test_stop),
)
for _hook, _listener in _LISTENERS:
    _hook.add_listener(_listener)  # type: ignore[no-untyped-call]  # Locust leaves it untyped
