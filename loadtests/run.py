"""One live run from beginning to end: target, gateways, load, what goes wrong, record, report."""

import json
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from loadtests.layers import start_layers
from loadtests.policies.scope import MAX_OBJECTS
from loadtests.processes import Process, start_locust, start_target
from loadtests.progress import Progress, RecordTail
from loadtests.rundir import make_run_dir
from loadtests.scenario import Scenario, ScenarioError
from loadtests.settings import GATEWAYS_VARIABLE, RUN_DIR_VARIABLE, SCENARIO_VARIABLE
from reports.record import RECORD_NAME

GRACE_S = 30.0
"""How long after its planned end a run may take to close its record."""


def check_own_target(scenario: Scenario) -> None:
    """Raise `ScenarioError` for a target of ours without a capacity: it has no app that works."""
    if scenario.target.capacity_per_s is None:
        raise ScenarioError(
            'target: workers need a service_time (--service-time), as in "100ms": behind the gate '
            "of a target that is started here nothing else takes time"
        )


def check_clients(scenario: Scenario) -> None:
    """Raise `ScenarioError` for more clients than a live run can have."""
    for choice in scenario.policies:
        if choice.clients > MAX_OBJECTS:
            raise ScenarioError(
                f"policies: {choice.lane_name}: clients is {choice.clients}: expected at most "
                f"{MAX_OBJECTS} in a live run; a simulation may have more"
            )


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run that has ended: its folder, and what the load generator had to say if it failed."""

    directory: Path
    stopped_by: signal.Signals | None
    """The signal that ended it early."""
    exit_code: int
    last_words: str

    @property
    def has_record(self) -> bool:
        """There is something to report on."""
        return (self.directory / RECORD_NAME).exists()


class Interruption:
    """Counts Ctrl-C and SIGTERM: the first ends a run in order, the second at once."""

    def __init__(self) -> None:
        """None has come yet."""
        self.times = 0
        self.first: signal.Signals | None = None

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """The signal handler."""
        self.times += 1
        self.first = self.first or signal.Signals(number)


@contextmanager
def _interruptible() -> Iterator[Interruption]:
    interruption = Interruption()
    before = {number: signal.signal(number, interruption) for number in _SIGNALS}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Service:
    """A service that runs already, and where its admin API is."""

    __slots__ = ("admin_url", "url")

    def __init__(self, url: str, admin_url: str | None = None) -> None:
        """Its admin API is under `url` unless said otherwise."""
        self.url = url
        self.admin_url = admin_url or url


def run_live(
    scenario: Scenario, service: Service | None, admin_token: str, out: Path, console: Console
) -> LiveRun:
    """Run the scenario against `service`, or a target of our own, and record it in `out`.

    Ctrl-C and SIGTERM end the run in order. Raises `ScenarioError` for too many clients,
    `ProcessError` when a server does not start and `OSError` when the record cannot be written.
    No process outlives the call.
    """
    check_clients(scenario)
    directory = make_run_dir(out, time.time())
    scenario_file = directory / "scenario.json"
    values = scenario.model_dump(mode="json", by_alias=True)
    scenario_file.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    with _interruptible() as interruption, ExitStack() as processes:
        with console.status("starting the services"):
            if service is None:
                admin_token = admin_token or secrets.token_urlsafe(24)
                settings = {**scenario.target.settings(), **_ours(scenario)}
                target, target_url = start_target(settings, admin_token, directory / "target.log")
                processes.enter_context(target)
                service = Service(target_url)
            gateways = start_layers(scenario, service.url, admin_token, directory, processes)
        if interruption.first:
            return LiveRun(directory, interruption.first, 0, "")
        variables = {
            SCENARIO_VARIABLE: str(scenario_file),
            RUN_DIR_VARIABLE: str(directory),
            GATEWAYS_VARIABLE: " ".join(gateways),
            "AFTERSHOCK_ADMIN_URL": service.admin_url,
            "AFTERSHOCK_ADMIN_TOKEN": admin_token,
        }
        entry_url = gateways[0] if gateways else service.url
        users = len(scenario.policies)
        locust = start_locust(users, entry_url, variables, directory / "locust.log")
        processes.enter_context(locust)
        tail = RecordTail(directory / RECORD_NAME)
        with Progress(console, tail, scenario.planned_end_s) as progress:
            _wait(locust, scenario.planned_end_s + GRACE_S, interruption, progress.update)
        locust.end()
        code = locust.exit_code()
        return LiveRun(directory, interruption.first, code or 0, locust.last_words())


def _ours(scenario: Scenario) -> dict[str, str]:
    """What of the target's settings is no subject of a scenario's `[target]`."""
    return {"seed": str(scenario.seed % 2**31), "upstream": ""}


def _wait(
    process: Process, limit_s: float, interruption: Interruption, update: Callable[[], None]
) -> None:
    """Until the process has ended, or was told to by an interruption or the limit."""
    deadline_s = time.monotonic() + limit_s
    asked = False
    while process.exit_code() is None and time.monotonic() < deadline_s:
        update()
        if interruption.times and not asked:
            process.ask_to_end()
            asked = True
        if interruption.times > 1:
            process.end(timeout_s=0.0)
        time.sleep(0.1)
