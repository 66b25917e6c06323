"""Upstreams to stand behind a proxy: a real app, a real nginx, and one made by hand."""

import asyncio
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.target_service.live import LIMIT_S, clean_environment
from tests.target_service.upstream.raw import Act, Raw, raw

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")

_CONFIG = """
{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr crit;
events {{ worker_connections 512; }}
http {{
    access_log off; keepalive_requests 1000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{ listen 127.0.0.1:{port} {listen}; root {folder}/www; {server} }}
}}
"""


def free_port() -> int:
    """A port that nobody uses just now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[str]) -> None:
    """Until somebody listens there."""
    for _ in range(int(LIMIT_S / 0.02)):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
            raise AssertionError(f"it ended with {process.returncode}")
    raise AssertionError("it does not listen")


def stop(process: subprocess.Popen[str]) -> None:
    """And wait until it is gone."""
    process.terminate()
    try:
        process.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()


@contextlib.contextmanager
def nginx(folder: Path, server: str = "", listen: str = "", port: int = 0) -> Iterator[int]:
    """A real nginx with these directives, files in `folder`/www and a port of its own."""
    if NGINX is None:
        pytest.skip("there is no nginx on this machine: the proxy is not tested in front of one")
    port = port or free_port()
    (folder / "www").mkdir(exist_ok=True)
    config = folder / "nginx.conf"
    # Started by root it would run as nobody, who may not read the folders of tests.
    user = "user root;" if os.geteuid() == 0 else ""
    config.write_text(
        _CONFIG.format(user=user, folder=folder, port=port, listen=listen, server=server)
    )
    with subprocess.Popen([NGINX, "-c", config, "-p", folder], text=True) as process:
        try:
            wait_for(port, process)
            yield port
        finally:
            stop(process)


@contextlib.contextmanager
def service() -> Iterator[str]:
    """The app beside this file under a plain uvicorn: its URL."""
    command = [sys.executable, "-m", "uvicorn", "tests.target_service.upstream.service:app"]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-access-log"],
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    ) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    yield found[0]
                    break
            else:
                raise AssertionError("the service did not start")
        finally:
            stop(process)


@contextlib.contextmanager
def by_hand(act: Act) -> Iterator[Raw]:
    """A server made by hand in a thread of its own."""
    ready: list[Raw] = []
    up, loop = threading.Event(), asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with raw(act) as upstream:
            ready.append(upstream)
            up.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert up.wait(LIMIT_S)
    try:
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(LIMIT_S)
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()
