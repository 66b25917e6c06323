"""One compose stack for the tests: its own project, free ports, a folder for runs."""

import json
import os
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from loadtests.processes import free_port
from tests.real import eventually
from tests.target_service.live import clean_environment

ROOT = Path(__file__).parents[2]
SERVICES = ("target", "locust", "worker")
IMAGE = "aftershock:test"
"""Kept from one run of the tests to the next, so that only what changed is built again."""
ENVOY_IMAGE = "aftershock-envoy:test"
BUILD_LIMIT_S = 600
LIMIT_S = 60

CONFINEMENT = """
import json, pathlib
status = [p.read_text() for p in pathlib.Path("/proc").glob("[0-9]*/status")]
field = lambda text, name: text.split(name + ":", 1)[1].split("\\n", 1)[0].split()
# The engine's own, just before it becomes a health check: it gives up what it has last.
status = [text for text in status if not field(text, "Name")[0].startswith("runc")]
root = [m.split() for m in open("/proc/mounts") if m.split()[1] == "/"][-1]
print(json.dumps({
    "uids": sorted({uid for text in status for uid in field(text, "Uid")}),
    "capabilities": sorted({field(text, "CapBnd")[0].strip("0") for text in status}),
    "may_gain_privileges": any(field(text, "NoNewPrivs") != ["1"] for text in status),
    "root": root[3].split(",")[0],
}))
"""


class Stack:
    """The stack of this checkout. What fails raises, with what compose said."""

    def __init__(self, runs: Path, *profiles: str, **variables: str) -> None:
        """Nothing is started yet. `runs` need not exist; `variables` go before those of here."""
        self.runs = runs
        self.profiles = [word for profile in profiles for word in ("--profile", profile)]
        self.web = f"http://127.0.0.1:{(web_port := free_port())}"
        self.target = f"http://127.0.0.1:{(target_port := free_port())}"
        self.prometheus = f"http://127.0.0.1:{(prometheus_port := free_port())}"
        self.name = f"aftershock-test-{uuid.uuid4().hex[:8]}"
        self._environment = dict(
            clean_environment(
                COMPOSE_PROJECT_NAME=self.name,
                COMPOSE_PROFILES="",
                AFTERSHOCK_IMAGE=IMAGE,
                AFTERSHOCK_RUNS_DIR=str(runs),
                AFTERSHOCK_WEB_PORT=str(web_port),
                AFTERSHOCK_TARGET_PORT=str(target_port),
                AFTERSHOCK_PROMETHEUS_PORT=str(prometheus_port),
                AFTERSHOCK_GRAFANA_PORT=str(free_port()),
            )
        )
        self._environment |= {"AFTERSHOCK_CAPACITY": "20/s", "ENVOY_IMAGE": ENVOY_IMAGE} | variables
        if os.getuid() != 0:  # so that whoever runs the tests can remove what they wrote
            self._environment["AFTERSHOCK_UID"] = str(os.getuid())
            self._environment["AFTERSHOCK_GID"] = str(os.getgid())

    def compose(self, *command: str, limit_s: float = LIMIT_S) -> str:
        """What `docker compose` prints. A developer's .env is not read."""
        done = subprocess.run(
            ["docker", "compose", "--env-file", os.devnull, *self.profiles, *command],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stdout + done.stderr)[-6000:]
            raise AssertionError(f"docker compose {' '.join(command)}: {done.returncode}\n{said}")
        return done.stdout

    def up(self, *options: str) -> None:
        """Bring it up and wait until all of it is healthy."""
        self.compose("up", "--build", "-d", "--wait", *options, limit_s=BUILD_LIMIT_S)

    def down(self) -> None:
        """Remove its containers, its network and its volume."""
        self.compose("down", "--volumes", "--remove-orphans", "--timeout", "5")

    def containers(self) -> list[dict[str, Any]]:
        """Its containers, as `docker compose ps` tells of them."""
        listed = self.compose("ps", "--all", "--format", "json")
        return [json.loads(line) for line in listed.splitlines()]

    def inside(self, service: str, *command: str) -> str:
        """What a command prints that runs in the container of a service."""
        return self.compose("exec", "-T", service, *command)

    def assert_confined(self, service: str) -> None:
        """None of its processes is root or can become more than it is; its root is read-only."""
        found = json.loads(self.inside(service, "python", "-c", CONFINEMENT))
        assert "0" not in found.pop("uids")
        assert found == {"capabilities": [""], "may_gain_privileges": False, "root": "ro"}

    def token(self) -> str:
        """The admin token."""
        return self.inside("target", "cat", "/run/aftershock/token").strip()

    def page(self, path: str, form: Mapping[str, str] | None = None) -> str:
        """A page of the web UI; with a form, it is posted."""
        return fetch(self.web + path, form)

    def act(self, verb: str, origin: str = "", **body: object) -> dict[str, Any]:
        """What the control room says of this act, asked by a page of `origin`: by its own, or by
        one whose name leads here. Raises `HTTPError` for a refusal.
        """
        headers = {"Content-Type": "application/json", "Origin": origin or self.web}
        if origin:
            headers["Host"] = origin.rpartition("/")[2]
        data = json.dumps({"key": str(uuid.uuid4()), **body}).encode()
        request = Request(f"{self.web}/aftershock/act/{verb}", data, headers)  # noqa: S310 - ours
        with urlopen(request, timeout=20) as answer:  # noqa: S310
            said: dict[str, Any] = json.loads(answer.read())
            return said

    def start(self, users: tuple[str, ...] = ("NoRetry", "FullJitter"), **form: str) -> Path:
        """Start a swarm as the web UI does: two users, 10 requests a second each. Its record."""
        earlier = set(self.runs.glob("*/record.ndjson"))
        few = {"user_count": "2", "spawn_rate": "2", "rate_per_user": "10/s"}
        fields = {"host": "http://target:8000", **few, **form}
        classes = [("user_classes", name) for name in users]
        answer = fetch(f"{self.web}/swarm", [*fields.items(), *classes])
        assert json.loads(answer)["success"], answer
        [new] = eventually(
            lambda: set(self.runs.glob("*/record.ndjson")) - earlier, "a record on the host"
        )
        return new

    def record(self) -> Path:
        """The record of the newest run, which may be going on."""
        return max(self.runs.glob("*/record.ndjson"))

    def lines(self) -> list[dict[str, Any]]:
        """The lines of that record."""
        return lines_of(self.record())

    def seconds(self) -> float:
        """How much of its run that record has."""
        return max((line["t_s"] for line in self.lines() if line["kind"] == "tick"), default=0.0)

    def stop(self) -> dict[str, Any]:
        """Stop the swarm as the web UI does. The report, once it is there."""
        self.page("/stop", {})
        path = self.record().parent / "report.json"
        return eventually(lambda: _json_of(path), "a report on the host")


@contextmanager
def a_stack(
    runs: Path, *wanted: str, profiles: tuple[str, ...] = (), **variables: str
) -> Iterator[Stack]:
    """A stack of these profiles and variables, up and healthy, and taken down afterwards.

    With `wanted`, these services alone and what they depend on.
    """
    stack = Stack(runs, *profiles, **variables)
    try:
        stack.up(*wanted)
        yield stack
    finally:
        stack.down()


def fetch(
    url: str,
    form: Mapping[str, str] | list[tuple[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> str:
    """The body at `url`. Raises `HTTPError` for a refusal."""
    data = None if form is None else urlencode(form).encode()
    request = Request(url, data, dict(headers or {}))  # noqa: S310 - ours, on loopback
    with urlopen(request, timeout=20) as answer:  # noqa: S310
        return str(answer.read().decode())


def lines_of(record: Path) -> list[dict[str, Any]]:
    """The whole lines of a record that may be growing."""
    return [json.loads(line) for line in record.read_text().splitlines(True) if line[-1] == "\n"]


def _json_of(path: Path) -> dict[str, Any] | None:
    """What a file holds that may not be there yet, or not all of it."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return found
