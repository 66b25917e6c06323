"""The verb against real servers: what it finds, what it never does, and how it is stopped."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from loadtests.calibration.cli import calibrate as verb
from loadtests.calibration.telling import BUSY
from loadtests.processes import free_port
from tests.loadtests.live import LIMIT_S
from tests.real import nginx, too_busy
from tests.target_service.live import clean_environment, live_target

pytestmark = [pytest.mark.live, pytest.mark.alone]

FOUND, FAILED, BAD_INPUT, NO_ANSWER, INTERRUPTED = 0, 1, 2, 3, 130
app = typer.Typer()
app.command()(verb)
COMMAND = (sys.executable, "-m", "aftershock", "calibrate")
Json = dict[str, object]


def calibrate(url: str, *options: str) -> Result:
    """Run the verb in this process: nothing of gevent's is patched in, so it may."""
    return CliRunner().invoke(app, ["--target", url, "--step", "800ms", *options])


def check_found(done: Result, capacity_per_s: float) -> None:
    """The capacity within 10%, on a machine that has CPU to spare for it.

    On any machine: no step had more goodput than there is capacity, and no number is made of a
    generator that was late.
    """
    assert done.exit_code in (FOUND, NO_ANSWER), done.stderr
    told = json.loads(done.stdout)
    verdict, steps = told["verdict"], told["steps"]
    on_time = [step for step in steps if step["load"] not in (None, "doubtful")]
    for step in on_time:
        # A burst that was saved up may come on top, in a step this short.
        assert step["goodput_per_s"] <= 1.25 * capacity_per_s, step
    assert (verdict["capacity_per_s"] is not None) == (done.exit_code == FOUND)
    if 5 * sum(step["machine_busy"] > BUSY for step in steps) > len(steps):
        too_busy(f"what was found is not checked: {verdict}")
    assert done.exit_code == FOUND, verdict
    assert verdict["capacity_per_s"] == pytest.approx(capacity_per_s, rel=0.1)
    assert verdict["give_per_s"] <= 1.1 * capacity_per_s


def test_the_capacity_of_our_own_target_is_found() -> None:
    """150/s, refusing at once what is more."""
    with live_target("--capacity", "150/s") as target:
        done = calibrate(f"{target.url}/work", "--start", "40/s", "--ceiling", "600/s", "--json")
    check_found(done, 150)


def test_the_limit_of_a_real_nginx_is_found(tmp_path: Path) -> None:
    """`limit_req` of 120 r/s, which lets a few more come early but not on the whole."""
    port = free_port()
    (tmp_path / "index.html").write_text("ok")
    directives = f"""
    limit_req_zone $server_port zone=all:1m rate=120r/s;
    server {{
        listen 127.0.0.1:{port}; root {tmp_path};
        limit_req zone=all burst=3 nodelay; limit_req_status 429;
    }}"""
    with nginx(tmp_path, port, directives) as url:
        done = calibrate(url, "--start", "35/s", "--ceiling", "600/s", "--json")
    check_found(done, 120)


class Recorder:
    """A server that counts what reaches it, by method, path and header."""

    def __init__(self, status: int = 200, location: str = "") -> None:
        self.seen: Counter[tuple[str, str, str]] = Counter()
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # http.server's name
                key = self.command, self.path, self.headers.get("X-Key", "")
                recorder.seen[key] += 1
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def recording(status: int = 200, location: str = "") -> Iterator[Recorder]:
    recorder = Recorder(status, location)
    thread = threading.Thread(target=recorder.server.serve_forever)
    thread.start()
    try:
        yield recorder
    finally:
        recorder.server.shutdown()
        recorder.server.server_close()
        thread.join()


def test_only_the_one_request_is_sent_and_the_ceiling_holds() -> None:
    """20/s, then 40/s and 40/s again for 0.8 s each, and a few single ones."""
    with recording() as server:
        done = calibrate(
            f"{server.url}/a?b=c", "--method", "post", "--header", "X-Key: k",
            "--start", "20/s", "--ceiling", "40/s",
        )  # fmt: skip
    assert set(server.seen) == {("POST", "/a?b=c", "k")}
    if done.exit_code == FOUND and "generator late" not in done.stdout:
        assert "capacity: at least" in done.stdout
        assert server.seen.total() <= 16 + 32 + 32 + 10
    assert "X-Key" not in done.stdout + done.stderr


def test_a_redirect_is_refused_and_not_followed() -> None:
    """The URL that it leads to was not named."""
    with recording() as other, recording(302, other.url) as server:
        done = calibrate(server.url)
    assert done.exit_code == BAD_INPUT
    assert "answers with a redirect (302), and none is followed" in " ".join(done.stderr.split())
    assert other.seen.total() == 0
    assert server.seen.total() == 3


@pytest.mark.parametrize(("status", "code"), [(404, BAD_INPUT), (503, FAILED)])
def test_a_target_that_fails_at_rest_is_not_loaded(status: int, code: int) -> None:
    """Three requests, and what they were answered."""
    with recording(status) as server:
        done = calibrate(server.url)
    assert done.exit_code == code
    assert f"answers {status}" in done.stderr
    assert server.seen.total() == 3


def test_nobody_there_is_said() -> None:
    """With what was asked."""
    done = calibrate(f"http://127.0.0.1:{free_port()}/work")
    assert done.exit_code == FAILED
    assert "no answer: " in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_tells_what_is_known(number: signal.Signals) -> None:
    """By the exit code of a program that was interrupted."""
    with recording() as server:
        with subprocess.Popen(
            [*COMMAND, "--target", server.url, "--step", "1s"],
            env=clean_environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            said = ""
            for line in process.stdout:
                said += line
                if line.startswith("grow"):
                    break
            os.kill(process.pid, number)
            said += process.stdout.read()
            assert process.wait(LIMIT_S) == INTERRUPTED
    assert "no answer: stopped before there was an answer" in said
    if "generator late" not in said:
        assert "known: the target kept up with" in said
