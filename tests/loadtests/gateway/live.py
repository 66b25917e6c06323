"""Gateways and targets on ports of loopback, in threads of this process or in ones of their own."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest

import uvicorn
from starlette.types import ASGIApp

from faults.admin import AdminClient
from loadtests.gateway.server import create_gateway
from loadtests.gateway.settings import read_gateway
from target_service.app import create_app
from target_service.protocol import BoundedHeadProtocol
from target_service.settings import read_settings
from tests.real import eventually
from tests.target_service.live import LIMIT_S, clean_environment


@contextmanager
def served(app: ASGIApp) -> Iterator[int]:
    """The port of an app that is served in a thread: quicker than a process, and as real."""
    config = uvicorn.Config(
        app,
        http=BoundedHeadProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            eventually(lambda: server.started, "serving")
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(LIMIT_S)
            assert not thread.is_alive()


@contextmanager
def target(**settings: str) -> Iterator[int]:
    """The port of a target with these settings."""
    with served(create_app(read_settings(**settings))) as port:
        yield port


@contextmanager
def gateway(
    upstream: int,
    policy: str = "no-retry",
    lanes: Mapping[str, str] | None = None,
    *,
    ignore_do_not_retry: bool = False,
    withhold_ownership: bool = False,
    token: str = "",
) -> Iterator[int]:
    """The port of a gateway in front of the one on port `upstream`."""
    settings = read_gateway(
        upstream=f"http://127.0.0.1:{upstream}",
        policy=policy,
        lane_policies=[f"{lane}={name}" for lane, name in (lanes or {}).items()],
        ignore_do_not_retry=ignore_do_not_retry,
        withhold_ownership=withhold_ownership,
        environ={"AFTERSHOCK_ADMIN_TOKEN": token},
    )
    with served(create_gateway(settings)) as port:
        yield port


@dataclass
class Live:
    """A process that serves on a port of loopback, and the line that said so."""

    process: subprocess.Popen[str]
    port: int
    said: str


@contextmanager
def process(*options: str, **environment: str) -> Iterator[Live]:
    """``python -m loadtests.gateway`` with these; it dies with the tests."""
    started = subprocess.Popen(
        [sys.executable, "-m", "loadtests.gateway", "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(AFTERSHOCK_PARENT_PID=str(os.getpid()), **environment),
    )
    with started:
        try:
            assert started.stderr is not None
            said = started.stderr.readline().strip()
            found = re.search(r"on http://127\.0\.0\.1:(\d+)", said)
            assert found, said
            yield Live(started, int(found[1]), said)
        finally:
            started.terminate()
            try:
                started.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                started.kill()


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
    client = AdminClient(f"http://127.0.0.1:{port}", timeout_s=LIMIT_S)
    with contextlib.closing(client):
        lanes = [tick.lanes[lane] for tick in client.ticks() if lane in tick.lanes]
    places = zip_longest(*(getattr(each, count) for each in lanes), fillvalue=0)
    return [sum(numbers) for numbers in places]
