"""Gateways and targets in processes of their own, and a service that tells what it sees."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.target_service.live import LIMIT_S, clean_environment


@dataclass
class Live:
    """A process that serves on a port of loopback, and the line that said so."""

    process: subprocess.Popen[str]
    port: int
    said: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(*command: str, **environment: str) -> Iterator[Live]:
    """Start ``python -m …`` and stop it afterwards. It dies with the tests."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(AFTERSHOCK_PARENT_PID=str(os.getpid()), **environment),
    )
    with process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline().strip()
            found = re.search(r"on http://127\.0\.0\.1:(\d+)", said)
            assert found, said
            yield Live(process, int(found[1]), said)
        finally:
            process.terminate()
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def target(*options: str) -> Iterator[Live]:
    """A target on a free port."""
    with serving("target_service", "--port", "0", *options) as started:
        yield started


@contextmanager
def gateway(upstream: str, policy: str, *options: str, **environment: str) -> Iterator[Live]:
    """A gateway on a free port in front of `upstream`."""
    command = ("loadtests.gateway", "--port", "0", "--upstream", upstream, "--policy", policy)
    with serving(*command, *options, **environment) as started:
        yield started


@contextmanager
def chain(
    target_url: str, layers: Sequence[Mapping[str, str]], *options: str
) -> Iterator[list[Live]]:
    """Gateways one behind the other, the innermost first; each with its policies by lane."""
    with contextlib.ExitStack() as stack:
        started: list[Live] = []
        for lanes in layers:
            upstream = started[-1].url if started else target_url
            own = [text for lane, name in lanes.items() for text in (LANE, f"{lane}={name}")]
            started.append(stack.enter_context(gateway(upstream, "no-retry", *own, *options)))
        yield started


LANE = "--lane-policy"


def ask(
    port: int,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by their names in lower case, and body of one call."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    with contextlib.closing(connection):
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        said = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, said, answer.read()


def admin(port: int, method: str, path: str, body: object = None) -> object:
    """What a call of the admin API answers."""
    content = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    status, _, answer = ask(port, path, method, content, headers)
    assert status < 400, answer
    return json.loads(answer)


def traced(port: int, mark: str) -> list[int]:
    """The numbers of the attempts that arrived there with this mark."""
    trace = admin(port, "GET", f"/admin/traces/{mark}")
    assert isinstance(trace, dict)
    return [attempt["attempt"] for attempt in trace["attempts"]]


def offered(port: int, lane: str) -> list[int]:
    """Attempts of the lane in all finished ticks, by their numbers; so are `counts` of any kind."""
    return counted(port, lane, "offered")


def counted(port: int, lane: str, count: str) -> list[int]:
    """One count of the lane over all finished ticks, by attempt number."""
    total: list[int] = []
    for line in ask(port, "/admin/ticks")[2].splitlines():
        places = json.loads(line)["lanes"].get(lane, {}).get(count, [])
        total += [0] * (len(places) - len(total))
        for place, number in enumerate(places):
            total[place] += number
    return total
