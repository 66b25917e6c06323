"""What is tested against something real of this machine: a program, or CPU to spare.

Where it is missing, that is said aloud: pytest tells of warnings, of skips only when asked.
"""

import os
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.error import URLError

import pytest

LIMIT_S = 60.0
"""How long a test waits for anything real."""

Value = TypeVar("Value")


def eventually(look: Callable[[], Value | None], what: str, limit_s: float = LIMIT_S) -> Value:
    """The first true answer of `look`, within the limit; what is not there yet may be a URL.

    It looks often at first, as most is there soon, and less often later.
    """
    began_s = time.monotonic()
    unanswered: URLError | None = None
    while (waited_s := time.monotonic() - began_s) < limit_s:
        try:
            if answer := look():
                return answer
        except URLError as error:
            unanswered = error
        time.sleep(min(max(0.02, waited_s / 20), 0.1))
    raise AssertionError(f"not within {limit_s:g} s: {what}") from unanswered


def missing(what: str, how: str) -> NoReturn:
    """In CI all of them are there, or the tests fail; elsewhere the test is left out."""
    sentence = f"NOT TESTED: there is no {what} here that runs: {how}"
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    warnings.warn(sentence, stacklevel=2)
    pytest.skip(sentence)


def too_busy(what: str) -> NoReturn:
    """Leave out the rest of a test, as the machine had no time for it; it is no failure of ours."""
    sentence = f"NOT TESTED: this machine was too busy: {what}"
    warnings.warn(sentence, stacklevel=2)
    pytest.skip(sentence)


def found(name: str) -> str | None:
    """The path of a program, where root's are too."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    return shutil.which(name, path=path)


def program(name: str) -> str:
    """The path of a program of Debian's."""
    return found(name) or missing(name, f"`apt-get install {name}` has it")


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
def nginx(folder: Path, port: int, http: str) -> Iterator[str]:
    """The URL of a real nginx with these directives of its ``http`` block, its files in `folder`.

    It is one process, which stays root where the tests are: another user may not read the folder.
    """
    config = folder / "nginx.conf"
    config.write_text(f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    {http}
}}
""")
    command = [program("nginx"), "-p", str(folder), "-c", str(config), "-e", f"{folder}/error.log"]
    with running(command, port, folder) as url:
        yield url
