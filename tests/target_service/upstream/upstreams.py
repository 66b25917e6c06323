"""Upstreams to stand behind a proxy: a real app, a real nginx, and one made by hand."""

import asyncio
import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from loadtests.processes import free_port
from tests import real
from tests.target_service.live import LIMIT_S, clean_environment
from tests.target_service.upstream.raw import Act, Raw, raw


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
    port = port or free_port()
    (folder / "www").mkdir(exist_ok=True)
    directives = f"""keepalive_requests 1000000;
    server {{ listen 127.0.0.1:{port} {listen}; root {folder}/www; {server} }}"""
    with real.nginx(folder, port, directives):
        yield port


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
def by_hand(act: Act, port: int = 0) -> Iterator[Raw]:
    """A server made by hand in a thread of its own."""
    ready: list[Raw] = []
    up, loop = threading.Event(), asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with raw(act, port) as upstream:
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
