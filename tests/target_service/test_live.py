"""The service as it is run: a process, a port, connections that stay open."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, clean_environment, live_target

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def target() -> Iterator[LiveTarget]:
    """One target of 50/s for this module."""
    with live_target("--capacity", "50/s") as started:
        yield started


class Client:
    """One kept connection."""

    def __init__(self, target: LiveTarget, token: str | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=LIMIT_S)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __call__(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, bytes]:
        """The status and body; the connection stays open."""
        sent = {**self.headers, **{name.replace("_", "-"): text for name, text in headers.items()}}
        if body is not None:
            sent["content-type"] = "application/json"
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, sent)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def json(self, method: str, path: str, body: object = None) -> Any:
        """The body as JSON."""
        return json.loads(self(method, path, body)[1])


@pytest.fixture
def client(target: LiveTarget) -> Iterator[Client]:
    """A connection to a target that has been reset."""
    made = Client(target)
    made("POST", "/admin/reset")
    yield made
    made.connection.close()


def ticks_from(client: Client, seq: int, count: int) -> list[Any]:
    """`count` finished ticks from `seq` on, once they are over."""

    def look() -> list[Any] | None:
        lines = client("GET", f"/admin/ticks?after={seq - 1}")[1].splitlines()
        return [json.loads(line) for line in lines[:count]] if len(lines) >= count else None

    return eventually(look, f"tick {seq + count - 1} is over")


def test_a_dip_takes_hold_on_open_connections_and_ends_by_itself(
    target: LiveTarget, client: Client
) -> None:
    """From the very first tick after it was asked for, and not a tick longer than asked."""
    worker = Client(target)
    worker("GET", "/work", x_aftershock_lane="a")
    before = client.json("GET", "/admin/state")["seq"]
    dip = client.json("POST", "/admin/dips", {"capacity": "20%", "for": "1s"})
    after = client.json("GET", "/admin/state")["seq"]
    start, end = round(dip["start_s"] / 0.1), round(dip["end_s"] / 0.1)
    assert end - start == 10
    assert before < start <= after + 2

    def over() -> bool:
        for _ in range(10):
            worker("GET", "/work", x_aftershock_lane="a", x_aftershock_attempt="1")
        (now,) = client.json("GET", "/admin/dips")
        return bool(now["state"] == "ended")

    eventually(over, "the dip is over")
    ticks = ticks_from(client, start - 1, 12)
    capacities = [tick["lanes"]["a"]["capacity_per_s"] for tick in ticks]
    assert capacities == [50.0] + [10.0] * 10 + [50.0]
    for lane in (tick["lanes"]["a"] for tick in ticks[1:11]):
        admitted, refused = sum(lane["admitted"]), sum(lane["turned_away"])
        assert admitted == min(1, admitted + refused)
    worker.connection.close()


def test_ticks_have_no_gaps_and_say_lag_and_cpu(client: Client) -> None:
    """As long as the service runs, load or not."""
    seq = client.json("GET", "/admin/state")["seq"]
    ticks = ticks_from(client, seq, 10)
    assert [tick["seq"] for tick in ticks] == list(range(seq, seq + 10))
    assert all(tick["lag_s"] >= 0 and tick["cpu_s"] >= 0 for tick in ticks)
    assert sum(tick["cpu_s"] for tick in ticks) > 0


def test_posts_with_bodies_are_turned_away_and_the_connection_goes_on(client: Client) -> None:
    """The body of an attempt that is turned away must not be taken for the next attempt."""
    client("PUT", "/admin/capacity", {"capacity": "0/s"})
    client("GET", "/work")
    body = {"text": "x" * 200_000}

    def turned_away() -> bool:
        return client("POST", "/work", body)[0] == 503

    eventually(turned_away, "the capacity is 0")
    assert client("POST", "/work", body)[0] == 503
    assert client("GET", "/healthz")[0] == 200


def test_pipelined_attempts_are_answered_in_order(target: LiveTarget, client: Client) -> None:
    """More than fits in a tick, in one write."""
    client("GET", "/admin/state")
    attempt = b"GET /work HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", target.port), LIMIT_S) as raw:
        raw.sendall(attempt * 30 + last)
        answer = b""
        while part := raw.recv(65_536):
            answer += part
    assert answer.count(b"HTTP/1.1 ") == 31
    assert 5 <= answer.count(b"HTTP/1.1 200") - 1 <= 30
    assert answer.rstrip().endswith(b'{"status":"ok"}')


def test_with_a_token_admin_needs_it_and_no_output_names_it() -> None:
    """And nothing is said about loopback."""
    token = "a-secret-for-tests"
    with live_target(AFTERSHOCK_ADMIN_TOKEN=token) as guarded:
        assert Client(guarded)("GET", "/admin/state")[0] == 401
        assert Client(guarded, token)("GET", "/admin/state")[0] == 200
        guarded.process.terminate()
        assert guarded.process.stderr is not None
        said = "\n".join([*guarded.said, guarded.process.stderr.read()])
        assert guarded.process.wait(LIMIT_S) == 0
    assert token not in said
    assert "loopback" not in said


def test_without_a_token_the_log_says_so() -> None:
    """One line where it listens, one about admin; then it stops cleanly on Ctrl-C."""
    with live_target("--capacity", "95/s") as plain:
        assert plain.process.stderr is not None
        rest = plain.process.stderr.readline()
        plain.process.send_signal(signal.SIGINT)
        assert plain.process.wait(LIMIT_S) == 0
        assert plain.process.stderr.read() == ""
    assert plain.said == [
        f"aftershock target on http://127.0.0.1:{plain.port}, capacity 95/s per lane"
    ]
    assert rest == "no AFTERSHOCK_ADMIN_TOKEN is set: the admin API answers loopback clients only\n"


def run_service(*options: str) -> subprocess.CompletedProcess[str]:
    """Run a service that is not to come up."""
    return subprocess.run(
        [sys.executable, "-m", "target_service", *options],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=clean_environment(),
        check=False,
    )


def test_a_port_in_use_is_one_clear_line(target: LiveTarget) -> None:
    """And exit 1."""
    done = run_service("--port", str(target.port))
    assert done.returncode == 1
    assert done.stderr == (
        f"aftershock serve: cannot listen on 127.0.0.1 port {target.port}: Address already in use\n"
    )


def test_a_bad_option_is_one_clear_line() -> None:
    """And exit 2."""
    done = run_service("--capacity", "100")
    assert done.returncode == 2
    assert done.stderr == (
        "aftershock serve: --capacity: '100' is not a rate per second, as in \"100/s\"\n"
    )


def test_a_target_whose_starter_was_killed_stops_by_itself() -> None:
    """A harness that is killed outright leaves nothing behind."""
    start = (
        "import os, subprocess, sys, time\n"
        "os.environ['AFTERSHOCK_PARENT_PID'] = str(os.getpid())\n"
        "child = subprocess.Popen([sys.executable, '-m', 'target_service', '--port', '0'],"
        " stderr=subprocess.PIPE, text=True)\n"
        "child.stderr.readline()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start], stdout=subprocess.PIPE, text=True, env=clean_environment()
    ) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert is_running(pid)
        starter.kill()
        eventually(lambda: not is_running(pid), "the target has stopped")


def is_running(pid: int) -> bool:
    """Whether this process runs; one that is over but not collected does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123 - a /proc file
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_open_connections_do_not_hold_a_stop_up() -> None:
    """Nor does anybody have to close them first."""
    with live_target() as stopping:
        idle = Client(stopping)
        idle("GET", "/work")
        os.kill(stopping.process.pid, signal.SIGTERM)
        assert stopping.process.wait(LIMIT_S) == 0
        idle.connection.close()


@pytest.mark.parametrize(
    "head",
    [
        b"GET /work HTTP/1.1\r\n" + b"x: y\r\n" * 20_000,
        b"GET /work HTTP/1.1\r\nx: " + b"y" * 100_000,
        b"GET /" + b"w" * 100_000,
    ],
    ids=["many headers", "one long header", "a long path"],
)
def test_a_head_without_end_is_cut_off(target: LiveTarget, client: Client, head: bytes) -> None:
    """The parser would keep all of it."""
    with socket.create_connection(("127.0.0.1", target.port), timeout=LIMIT_S) as connection:
        answer = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(head)
            connection.sendall(head)
            while data := connection.recv(4096):
                answer += data
    assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""
    assert client("GET", "/healthz")[0] == 200


def test_many_requests_on_one_connection_are_no_long_head(client: Client) -> None:
    """Each begins anew."""
    assert {client("GET", "/healthz", x="y" * 2000)[0] for _ in range(60)} == {200}
