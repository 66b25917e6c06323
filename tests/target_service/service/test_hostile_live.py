"""Clients that misbehave: the target keeps its promises to the others, and its counts add up."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.raw import answer_of, attempt, seen_on
from tests.target_service.service.crowd import checked_totals, ticks_of

pytestmark = pytest.mark.live

IMPATIENT = (
    "from target_service.protocol import BoundedHeadProtocol\n"
    "BoundedHeadProtocol.patience_s = 1.0\n"
    "import typer\n"
    "from target_service.cli import serve\n"
    "typer.run(serve)\n"
)
"""The target, but with a second of patience."""
FEW_FILES = (
    "import resource\n"
    "files = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (64, files[1]))\n"
    "import typer\n"
    "from target_service.cli import serve\n"
    "typer.run(serve)\n"
)
"""The target, as from a shell that allows it few open files unless it asks for more."""
HEAD = b"POST /work HTTP/1.1\r\nHost: x\r\nX-Aftershock-Lane: %b\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture(scope="module")
def target() -> Iterator[LiveTarget]:
    """Four workers of 50 ms and twenty places: 80/s."""
    options = ("--workers", "4", "--service-time", "50ms", "--queue", "20")
    with live_target(*options, program=IMPATIENT) as started:
        yield started
        started.process.terminate()
        assert started.process.stderr is not None
        said = started.process.stderr.read()
    # Two lines at the start, and not one for what anybody may send.
    assert said.count("\n") <= 1, said


def connection(target: LiveTarget, sent: bytes = b"") -> socket.socket:
    """A client that has sent this."""
    made = socket.create_connection(("127.0.0.1", target.port), LIMIT_S)
    made.sendall(sent)
    return made


def others_are_served(target: LiveTarget, lane: str) -> None:
    """Another lane's attempts, and who looks after the target."""
    answers = [answer_of(target.port, f"{lane}-others") for _ in range(5)]
    assert [answer.status for answer in answers] == [200] * 5
    assert seen_on(attempt(target.port, path="/healthz")).status == 200


def admin(target: LiveTarget, method: str, path: str, body: object = None) -> Any:
    """One call of the admin API that works."""
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=LIMIT_S)
    with contextlib.closing(connection):
        sent = None if body is None else json.dumps(body)
        connection.request(method, f"/admin{path}", sent, {"content-type": "application/json"})
        answer = connection.getresponse()
        read = answer.read()
        assert answer.status < 300, read
        return json.loads(read) if read else None


@contextlib.contextmanager
def dipped(target: LiveTarget, lane: str, **level: object) -> Iterator[None]:
    """A dip of this lane, from now on."""
    admin(target, "POST", "/lanes", {"lanes": [lane]})
    dip = admin(target, "POST", "/dips", {**level, "for": "1m", "lanes": [lane]})
    eventually(lambda: admin(target, "GET", "/dips")[-1]["state"] == "active", "it has begun")
    try:
        yield
    finally:
        admin(target, "DELETE", f"/dips/{dip['id']}")


def counted(target: LiveTarget, lane: str, **least: int) -> dict[str, int]:
    """What the lane has counted, once it is at least this."""

    def look() -> dict[str, int] | None:
        found = checked_totals(ticks_of(target.port), lane)
        return found if all(found[name] >= number for name, number in least.items()) else None

    return eventually(look, f"{lane}: {least}")


def test_clients_that_hang_up_in_the_queue_are_abandoned(target: LiveTarget) -> None:
    """They keep their places and are served all the same, in this target; each is counted once."""
    with dipped(target, "queued", workers=0):
        gone = [connection(target, HEAD % (b"queued", 0)) for _ in range(40)]
        assert counted(target, "queued", offered=40)["turned_away"] == 20
        for client in gone:
            client.close()
        found = counted(target, "queued", abandoned=20)
        assert ticks_of(target.port)[-1]["lanes"]["queued"]["queue"] == 20
        others_are_served(target, "queued")
    assert (found["admitted"], found["completed"]) == (20, 0)

    def drained() -> bool:
        return bool(ticks_of(target.port)[-1]["lanes"]["queued"]["queue"] == 0)

    eventually(drained, "their work is done")
    assert counted(target, "queued") == found


def test_clients_that_hang_up_in_service_are_abandoned(target: LiveTarget) -> None:
    """At once, though the workers go on; others of the lane then wait for these."""
    with dipped(target, "served", service_time="2s"):
        gone = [connection(target, HEAD % (b"served", 0)) for _ in range(4)]
        counted(target, "served", admitted=4)
        for client in gone:
            client.close()
        found = counted(target, "served", abandoned=4)
        assert (found["admitted"], found["completed"]) == (4, 0)
        waits = attempt(target.port, "served")
        counted(target, "served", admitted=5)
        assert ticks_of(target.port)[-1]["lanes"]["served"]["queue"] == 1
    assert seen_on(waits).status == 200


def test_half_a_request_is_ended_with_a_408(target: LiveTarget) -> None:
    """Also when it goes on letter by letter; what is not there is not counted."""
    half = [
        connection(target, b"GET /work HTTP/1.1\r\nX-Aftershock-Lane: half\r\n") for _ in range(50)
    ]
    slow = connection(target, b"GET /work HTTP/1.1\r\nX-Slow: ")
    others_are_served(target, "half")
    begun_s = time.monotonic()
    with contextlib.suppress(OSError):
        while time.monotonic() < begun_s + LIMIT_S:
            slow.sendall(b"y")
            time.sleep(0.1)
    assert time.monotonic() < begun_s + LIMIT_S
    slow.close()
    assert [seen_on(client).status for client in half] == [408] * 50
    assert checked_totals(ticks_of(target.port), "half")["offered"] == 0


def test_who_says_nothing_is_sent_away_without_a_word(target: LiveTarget) -> None:
    """Two hundred of them; and those that send nothing but line ends between requests."""
    silent = [connection(target) for _ in range(200)]
    others_are_served(target, "silent")
    for client in silent:
        with client:
            assert client.recv(100) == b""
    with connection(target, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") as blank:
        assert blank.recv(10_000).startswith(b"HTTP/1.1 200")
        blank.sendall(b"\r\n")
        while blank.recv(10_000):
            pass


def test_a_body_that_does_not_come_is_not_waited_for(target: LiveTarget) -> None:
    """Neither after an answer, nor where the app needs it."""
    never = connection(target, HEAD % (b"never", 100))
    admin = connection(
        target,
        b"POST /admin/lanes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{",
    )
    assert seen_on(never).status == 200
    assert seen_on(admin).status == 0
    assert counted(target, "never", completed=1)["offered"] == 1


def sent_slowly(target: LiveTarget) -> bytes | None:
    """What is answered to a client that takes two seconds; nothing where a stall held us up."""
    slow = connection(target, HEAD % (b"slow", 20))
    answer, gap_s, last_s = b"", 0.0, time.monotonic()
    with slow, contextlib.suppress(ConnectionError):
        for _ in range(20):
            time.sleep(0.1)
            slow.sendall(b"x")
            now_s = time.monotonic()
            gap_s, last_s = max(gap_s, now_s - last_s), now_s
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        while part := slow.recv(65_536):
            answer += part
    return answer if gap_s < 0.5 else None


def test_a_slow_body_is_waited_for(target: LiveTarget) -> None:
    """As long as some of it comes within the patience, which is a second."""
    answer = eventually(lambda: sent_slowly(target), "a client that no stall held up")
    assert answer.count(b"HTTP/1.1 200 OK") == 2


def test_an_attempt_in_the_queue_is_not_hurried(target: LiveTarget) -> None:
    """It is not the client that takes long; nor is one whose body is larger than what is read."""
    with dipped(target, "patient", workers=0):
        small = connection(target, HEAD % (b"patient", 0))
        large = connection(target, HEAD % (b"patient", 8_000_000))
        sending = threading.Thread(target=large.sendall, args=(b"x" * 8_000_000,))
        sending.start()
        time.sleep(2.5)
        assert sending.is_alive()  # nobody reads it, nor hurries it
    sending.join(LIMIT_S)
    for client in (small, large):
        with client:
            assert client.recv(10_000).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET /work HTTP/9.9\r\n\r\n",
        b"POST /work HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /work HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /work HTTP/1.1\r\nHost x\r\n\r\n",
        b"G\x00T /work HTTP/1.1\r\n\r\n",
        b"GET /work HTTP/1.1\r\nHost: evil\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=["tls", "no path", "version", "length", "chunk", "header", "zero", "hosts"],
)
def test_what_is_no_http_ends_its_connection(target: LiveTarget, sent: bytes) -> None:
    """With 400, or none where an answer was on its way."""
    assert seen_on(connection(target, sent)).status in {400, 200, 0}
    others_are_served(target, "bad")


def test_too_many_requests_ahead_of_their_answers_end_the_connection(target: LiveTarget) -> None:
    """A hundred may wait; a client that does not want to know is not remembered."""
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with connection(target, request * 90) as some:
        answer = b""
        while answer.count(b"HTTP/1.1 200 OK") < 90:
            answer += some.recv(65_536)
    with connection(target) as many:
        answer = b""
        with contextlib.suppress(OSError):
            many.sendall((request * 1000)[:-1])
            while part := many.recv(65_536):
                answer += part
    assert answer.count(b"HTTP/1.1 200 OK") < 900
    others_are_served(target, "many")


def test_more_clients_come_than_a_shell_allows_files() -> None:
    """They are all seen, and so is who looks after the target."""
    with live_target("--workers", "1", program=FEW_FILES) as few, contextlib.ExitStack() as crowd:
        for _ in range(100):
            crowd.enter_context(connection(few))
        others_are_served(few, "crowd")


def memory_kib(target: LiveTarget) -> int:
    """Resident memory of the target."""
    status = Path(f"/proc/{target.process.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


def descriptors(target: LiveTarget) -> int:
    """Open files and sockets of the target."""
    return len(list(Path(f"/proc/{target.process.pid}/fd").iterdir()))


def misbehave(target: LiveTarget) -> None:
    """All sorts at once, and then everybody hangs up."""
    pieces = [
        b"",
        b"GET /work HTTP/1.1\r\nX-Aftershock-Lane: mob\r\n",
        b"GET /work HTTP/1.1\r\nX-Long: " + b"y" * 60_000,
        b"GET /work HTTP/1.1\r\nX-Aftershock-Lane: mob\r\nHost: x\r\n\r\n",
        HEAD % (b"mob", 1_000_000) + b"x" * 60_000,
        HEAD % (b"mob", 10),
        b"GET /work HTTP/1.1\r\nX-Aftershock-Lane: mob\r\nHost: x\r\n\r\n" * 90,
    ]
    unread = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 90
    clients = []
    for sent in [*pieces * 8, unread]:
        client = connection(target)
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionError):
            client.sendall(sent)
        clients.append(client)
    others_are_served(target, "mob")
    time.sleep(0.3)
    for client in clients:
        client.close()


def test_memory_stays_flat_and_descriptors_come_back(target: LiveTarget) -> None:
    """However often they come."""
    before = descriptors(target)
    misbehave(target)
    eventually(lambda: descriptors(target) <= before, "all connections are closed")
    warm_kib = memory_kib(target)
    for _ in range(4):
        misbehave(target)
    eventually(lambda: descriptors(target) <= before, "all connections are closed")
    grown_kib = memory_kib(target) - warm_kib
    assert grown_kib < 20_000

    def over() -> bool:
        return bool(ticks_of(target.port)[-1]["lanes"]["mob"]["in_flight"] == 0)

    eventually(over, "nothing is in flight")
    found = counted(target, "mob", offered=5 * 8 * 3)
    assert found["admitted"] == found["completed"] + found["abandoned"]
    print(f"{found}, +{grown_kib} KiB")
