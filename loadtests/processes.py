"""The processes of a live run, target, gateways and Locust: started, watched and always ended."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from faults.admin import AdminClient, AdminError

START_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 10.0
PARENT_VARIABLE = "AFTERSHOCK_PARENT_PID"
"""Tells a process of ours to end when the process with this id is no longer its parent."""


class ProcessError(RuntimeError):
    """A process did not start; the message ends with the last lines it wrote."""


class Process:
    """A child in a session of its own, so that a Ctrl-C reaches only us and we end it in order."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str], log: Path) -> None:
        """Start `command` with `variables` in its environment; what it prints goes to `log`."""
        self._log = log
        environment = {**os.environ, PARENT_VARIABLE: str(os.getpid()), **variables}
        with log.open("ab") as output:
            self._popen = subprocess.Popen(  # noqa: S603 - our own modules, no shell
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def exit_code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._popen.poll()

    def ask_to_end(self) -> None:
        """Send SIGTERM, if it still runs."""
        with contextlib.suppress(ProcessLookupError):
            self._popen.send_signal(signal.SIGTERM)

    def end(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Ask it to end; kill it when it does not within `timeout_s`."""
        self.ask_to_end()
        try:
            self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def last_words(self, lines: int = 8) -> str:
        """The errors it logged, or else the last lines of what it printed."""
        printed = self._log.read_text(errors="replace").splitlines()
        errors = [line for line in printed if "/ERROR/" in line]
        return "\n".join((errors or printed)[-lines:])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def free_port() -> int:
    """A port on loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_target(settings: Mapping[str, str], token: str, log: Path) -> tuple[Process, str]:
    """A target on a free port of loopback, and its URL once it answers. Raises `ProcessError`.

    `settings` are its own by their names, as in ``{"capacity": "100/s"}``; an empty text leaves
    one unset, whatever our environment has.
    """
    port = free_port()
    command = [sys.executable, "-m", "target_service", "--port", str(port)]
    variables = {f"AFTERSHOCK_{name.upper()}": text for name, text in settings.items()}
    process = Process(command, {**variables, "AFTERSHOCK_ADMIN_TOKEN": token}, log)
    url = f"http://127.0.0.1:{port}"
    await_server("the target", process, url, token)
    return process, url


def start_locust(users: int, url: str, variables: Mapping[str, str], log: Path) -> Process:
    """Locust without its web UI, with the users of the scenario that `variables` name."""
    locustfile = Path(__file__).with_name("scenario_locustfile.py")
    command = [sys.executable, "-m", "locust", "-f", str(locustfile), "--headless"]
    command += ["--host", url, "--users", str(users), "--spawn-rate", str(users)]
    command += ["--only-summary"]
    return Process(command, variables, log)


def await_server(what: str, process: Process, url: str, token: str) -> None:
    """Until the admin API at `url` answers. Ends the process and raises `ProcessError` if not."""
    admin = AdminClient(url, token or None)
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while not _answers(admin):
        if process.exit_code() is not None or time.monotonic() > deadline_s:
            process.end()
            raise ProcessError(f"{what} did not start:\n{process.last_words()}")
        time.sleep(0.05)
    admin.close()


def _answers(admin: AdminClient) -> bool:
    try:
        admin.state()
    except AdminError:
        return False
    return True
