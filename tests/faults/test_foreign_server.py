"""Faults under servers that do not give connections away: what ASGI can do is done."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from faults.admin import AdminClient
from faults.fault import ServiceFault
from tests.faults.test_strikes_live import lane_ticks, striking, total
from tests.target_service.live import LIMIT_S, clean_environment
from tests.target_service.raw import answer_of

pytestmark = pytest.mark.live


@pytest.fixture(scope="module", params=["h11", "httptools"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """Where a plain uvicorn serves the app."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [
            *(sys.executable, "-m", "uvicorn", "tests.target_service.foreign:app"),
            *("--fd", str(listener.fileno()), "--http", request.param),
        ]
        process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(listener.fileno(),),
            env=clean_environment(),
        )
        with process:
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    if re.search("startup complete", line):
                        break
                yield listener.getsockname()[1]
            finally:
                process.terminate()
                process.communicate(timeout=LIMIT_S)


@pytest.fixture
def client(port: int) -> Iterator[AdminClient]:
    """A client of the middleware's admin API."""
    made = AdminClient(f"http://127.0.0.1:{port}/aftershock")
    made.reset()
    made.register_lanes(["a"])
    yield made
    made.close()


def test_a_cut_answer_is_short_and_a_reset_one_begun(port: int, client: AdminClient) -> None:
    """The server closes the connection of an answer that the app left unfinished."""
    with striking(client, ServiceFault("cut", 60)):
        cut = answer_of(port)
    assert (cut.status, cut.header("content-length"), cut.body) == (200, "15", b'{"work"')
    with striking(client, ServiceFault("reset", 60)):
        reset = answer_of(port)
    assert (reset.status, reset.header("content-length"), reset.body) == (500, "1", b"")
    ticks = lane_ticks(client)
    assert total([tick.failed for tick in ticks]) == 2
    assert total([tick.completed for tick in ticks]) == 2


def test_the_others_are_as_everywhere(port: int, client: AdminClient) -> None:
    """An error is one, a late answer is whole."""
    with striking(client, ServiceFault("error", 60, status=507)):
        assert answer_of(port).status == 507
    with striking(client, ServiceFault("latency", 60, add_s=0.05)):
        assert answer_of(port).body == b'{"work":"done"}'
