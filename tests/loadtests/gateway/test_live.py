"""A gateway as it is run: its process, large bodies, clients that hang up, its end."""

import contextlib
import http.client
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loadtests.gateway.live import Live, ask, counted, gateway, process
from tests.loadtests.gateway.raw import LARGE, PIECE, Raw, raw
from tests.real import eventually
from tests.target_service.live import LIMIT_S, clean_environment

pytestmark = pytest.mark.live

ROOM_BYTES = 24 << 20
"""What a gateway may grow by: far less than a body. It keeps 1 MiB of one, and the rest is what
lies between two sockets and what Python's allocator keeps."""


POLICY = "immediate:attempts=3,base=0ms"


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Raw, Live]]:
    """A gateway that would send everything three times, and what is behind it."""
    with raw() as seen:
        url = f"http://127.0.0.1:{seen.port}"
        with process("--upstream", url, "--policy", POLICY) as started:
            ask(started.port, "/", "PUT", b"a")  # what comes with the first request is not growth
            yield seen, started


@pytest.fixture
def upstream(shared: tuple[Raw, Live]) -> Raw:
    """What is behind the gateway, having seen nothing yet."""
    shared[0].forget()
    return shared[0]


@pytest.fixture
def entry(shared: tuple[Raw, Live]) -> Live:
    """The gateway."""
    return shared[1]


def peak_bytes(live: Live) -> int:
    """The most memory that the process has had so far."""
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1024


def abandoned(live: Live) -> int:
    return sum(counted(live.port, "default", "abandoned"))


def failed(live: Live) -> int:
    return sum(counted(live.port, "default", "failed"))


def connection(live: Live) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", live.port, timeout=LIMIT_S)


def test_large_bodies_pass_in_flat_memory(upstream: Raw, entry: Live) -> None:
    """Both ways, as long as they are."""
    before = peak_bytes(entry)
    with contextlib.closing(connection(entry)) as client:
        client.request("GET", "/large")
        answer = client.getresponse()
        got = 0
        while piece := answer.read(1 << 20):
            got += len(piece)
    assert got == LARGE
    with contextlib.closing(connection(entry)) as client:
        client.request("PUT", "/", iter([PIECE] * (LARGE // len(PIECE))), encode_chunked=True)
        assert client.getresponse().status == 200
    assert upstream.taken >= LARGE
    assert upstream.requests == 2
    assert peak_bytes(entry) - before < ROOM_BYTES


def test_a_client_that_reads_nothing_holds_its_answer_up(upstream: Raw, entry: Live) -> None:
    """No more of it is read from upstream than fits on the way; hanging up ends it there too."""
    before = peak_bytes(entry)
    left = abandoned(entry)
    with contextlib.closing(connection(entry)) as client:
        client.request("GET", "/large")
        seen = [-1]

        def stands_still() -> bool:
            seen.append(upstream.sent)
            time.sleep(0.2)
            return seen[-1] == upstream.sent > 0

        eventually(stands_still, "upstream is held up")
        assert upstream.sent < LARGE // 2
        assert peak_bytes(entry) - before < ROOM_BYTES
    assert upstream.gone.wait(LIMIT_S)
    eventually(lambda: abandoned(entry) == left + 1, "it was abandoned")


def test_a_client_that_hangs_up_ends_its_attempt(upstream: Raw, entry: Live) -> None:
    """Upstream sees the connection close; the request is counted as abandoned, and not retried."""
    left = abandoned(entry)
    with contextlib.closing(connection(entry)) as client:
        client.request("GET", "/hang")
        eventually(lambda: upstream.requests == 1, "upstream has it")
    assert upstream.gone.wait(LIMIT_S)
    eventually(lambda: abandoned(entry) == left + 1, "it was abandoned")
    assert upstream.requests == 1


def test_a_large_answer_that_is_cut_short_does_not_look_complete(
    upstream: Raw, entry: Live
) -> None:
    """It is not retried, as its beginning has been passed on; and the meter counts a failure."""
    before = failed(entry)
    with pytest.raises(http.client.IncompleteRead):
        ask(entry.port, "/cut")
    assert upstream.requests == 1
    eventually(lambda: failed(entry) == before + 1, "it has failed")


def test_an_answer_that_is_cut_short_is_no_complaint_in_the_log(upstream: Raw) -> None:
    """It comes from upstream, and the client sees it."""
    url = f"http://127.0.0.1:{upstream.port}"
    with process("--upstream", url, "--policy", POLICY) as entry:
        with pytest.raises(http.client.IncompleteRead):
            ask(entry.port, "/cut")
        entry.process.terminate()
        assert entry.process.stderr is not None
        said = entry.process.stderr.read()
    assert "ASGI" not in said
    assert "Error" not in said


def test_half_a_body_is_no_request(upstream: Raw, entry: Live) -> None:
    """A client that hangs up in the middle of a large one: upstream sees it break off."""
    with socket.create_connection(("127.0.0.1", entry.port), LIMIT_S) as client:
        client.sendall(b"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(32):
            client.sendall(b"%x\r\n%s\r\n" % (len(PIECE), PIECE))
        eventually(lambda: upstream.taken > len(PIECE), "upstream gets some")
    assert upstream.gone.wait(LIMIT_S)
    assert upstream.requests == 1


def test_it_says_in_one_line_what_it_does(upstream: Raw, entry: Live) -> None:
    """Where it is, what is behind it, and by which policy it retries."""
    url = f"http://127.0.0.1:{upstream.port}"
    assert entry.said == (
        f"aftershock gateway on http://127.0.0.1:{entry.port}, upstream {url}, "
        "5s an attempt, immediate:attempts=3,base=0ms"
    )


def test_it_stops_when_it_is_told_to(upstream: Raw) -> None:
    """Also with a request that would go on for ever."""
    url = f"http://127.0.0.1:{upstream.port}"
    with process("--upstream", url, "--policy", POLICY) as told:
        with contextlib.closing(connection(told)) as client:
            client.request("GET", "/hang")
            eventually(lambda: upstream.requests == 1, "upstream has it")
            told.process.send_signal(signal.SIGTERM)
            told.process.wait(LIMIT_S)
            assert told.process.stderr is not None
            assert "Traceback" not in told.process.stderr.read()
    assert upstream.gone.wait(LIMIT_S)


def test_it_ends_with_its_parent(upstream: Raw) -> None:
    """Killed outright, a harness leaves nothing behind."""
    command = [sys.executable, "-m", "loadtests.gateway", "--port", "0", "--policy", "no-retry"]
    command += ["--upstream", f"http://127.0.0.1:{upstream.port}"]
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, *command],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        child = int(parent.stdout.readline())
        assert "aftershock gateway on" in parent.stderr.readline()
        parent.kill()
        assert "is gone: stopping" in parent.stderr.readline()
        eventually(lambda: not _runs(child), "the gateway has ended")


_PARENT = """
import os, subprocess, sys
environment = {**os.environ, "AFTERSHOCK_PARENT_PID": str(os.getpid())}
child = subprocess.Popen(sys.argv[1:], env=environment)
print(child.pid, flush=True)
child.wait()
"""


def _runs(pid: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_port_in_use_is_said_in_a_line(entry: Live) -> None:
    """And it is exit 1: nothing is wrong with the options."""
    command = [sys.executable, "-m", "loadtests.gateway", "--port", str(entry.port)]
    command += ["--upstream", "http://127.0.0.1:9", "--policy", "no-retry"]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=clean_environment()
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("aftershock gateway: cannot listen on 127.0.0.1 port")
    assert len(ended.stderr.splitlines()) == 1


def test_its_token_is_needed(upstream: Raw) -> None:
    """For the admin API, as at the target; requests pass without, and it is never said."""
    with gateway(upstream.port, token="hush") as port:
        assert ask(port, "/admin/ticks")[0] == 401
        headers = {"Authorization": "Bearer hush"}
        assert ask(port, "/admin/ticks", headers=headers)[0] == 200
        assert ask(port, "/", "PUT", b"a")[0] == 200
