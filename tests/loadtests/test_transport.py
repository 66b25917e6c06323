"""One attempt is one message on the wire, whatever the server does with it."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import gevent
import pytest
from gevent.server import StreamServer
from gevent.socket import socket as Socket  # noqa: N812 - it is a class

from loadtests.policies import AttemptError
from loadtests.transport import MAX_ANSWER_BYTES, Response, Transport
from tests.real import program

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Served:
    """A server on a free port that counts connections and the messages that reach it."""

    def __init__(self, answer: Callable[[Socket], bool]) -> None:
        self.answer = answer
        self.connections = 0
        self.messages: list[bytes] = []
        self.server = StreamServer(("127.0.0.1", 0), self.handle)

    def handle(self, connection: Socket, _address: object) -> None:
        self.connections += 1
        while message := connection.recv(65536):
            self.messages.append(message)
            if not self.answer(connection):
                break
        connection.close()


@contextmanager
def serving(
    answer: Callable[[Socket], bool],
    timeout_s: float = 5.0,
    max_answer_bytes: int = MAX_ANSWER_BYTES,
) -> Iterator[tuple[Transport, Served]]:
    served = Served(answer)
    served.server.start()
    url = f"http://127.0.0.1:{served.server.server_port}"
    transport = Transport(url, timeout_s, max_answer_bytes)
    try:
        yield transport, served
    finally:
        transport.close()
        served.server.stop(timeout=1)


def say(data: bytes, *, keep: bool = True) -> Callable[[Socket], bool]:
    def answer(connection: Socket) -> bool:
        connection.sendall(data)
        return keep

    return answer


def test_a_connection_is_kept_and_used_again() -> None:
    """Attempts one after another share one."""
    with serving(say(OK)) as (transport, served):
        answers = [transport.send("GET", "/work") for _ in range(20)]
    assert all(answer.ok and answer.content == b"hi" for answer in answers)
    assert (served.connections, len(served.messages)) == (1, 20)


def test_attempts_at_the_same_time_do_not_wait_for_each_other() -> None:
    """Fifty at once: each has a connection of its own."""
    together = gevent.event.Event()
    waiting = []

    def answer(connection: Socket) -> bool:
        waiting.append(connection)
        if len(waiting) == 50:
            together.set()
        together.wait()
        connection.sendall(OK)
        return True

    with serving(answer) as (transport, served):
        attempts = [gevent.spawn(transport.send, "GET", "/work") for _ in range(50)]
        gevent.joinall(attempts, timeout=10)
        assert [attempt.value.status_code for attempt in attempts] == [200] * 50
    assert served.connections == 50


def test_a_connection_closed_while_idle_is_replaced_without_a_failure() -> None:
    """The server closes after each answer without saying so; no attempt fails, none is doubled."""
    with serving(say(OK, keep=False)) as (transport, served):
        for _ in range(10):
            assert transport.send("GET", "/work").ok
            gevent.sleep(0.01)  # lets the server's close reach us
    assert (served.connections, len(served.messages)) == (10, 10)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_closed_without_an_answer_is_one_failed_attempt(method: str) -> None:
    """geventhttpclient's own client sends such a GET again, once more than its pool is large."""
    with serving(lambda _connection: False) as (transport, served):
        answer = transport.send(method, "/work")
        gevent.sleep(0.05)
    assert (answer.status_code, answer.error) == (0, AttemptError.CLOSED)
    assert len(served.messages) == 1


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi", AttemptError.NOT_HTTP),
        (b"SSH-2.0-OpenSSH_9.2\r\n", AttemptError.NOT_HTTP),
        (b"HTTP/1.1 200 OK\r\nContent-", AttemptError.NOT_HTTP),
    ],
    ids=["body cut short", "not HTTP", "headers cut short"],
)
def test_half_an_answer_is_a_failed_attempt(data: bytes, error: AttemptError) -> None:
    """Sent once, and never waited for without end."""
    with serving(say(data, keep=False)) as (transport, served):
        answer = transport.send("GET", "/work")
    assert (answer.status_code, answer.error, len(served.messages)) == (0, error, 1)


def test_a_body_that_ends_with_the_connection_is_whole() -> None:
    """Neither length nor chunks: HTTP/1.0's way."""
    with serving(say(b"HTTP/1.1 200 OK\r\n\r\nall of it", keep=False)) as (transport, _):
        answer = transport.send("GET", "/work")
    assert (answer.status_code, answer.content) == (200, b"all of it")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "ok"),
    [
        (HEAD + b"x" * 1000, True),
        (HEAD.replace(b"1000", b"1001") + b"x" * 1001, False),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1200, False),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 50, False),
        (b"HTTP/1.1 200 OK\r\n" + b"X-Pad: padding\r\n" * 100, False),
    ],
    ids=["as much as may be", "a byte more", "without an end", "interim ones", "head"],
)
def test_an_answer_has_a_bound(data: bytes, ok: bool) -> None:
    """What is beyond it is not read, and the connection is not used again."""
    with serving(say(data), max_answer_bytes=len(HEAD) + 1000) as (transport, served):
        answers = [transport.send("GET", "/work") for _ in range(2)]
    assert [answer.error for answer in answers] == [None if ok else AttemptError.NOT_HTTP] * 2
    assert served.connections == (1 if ok else 2)


def test_a_server_that_never_answers_runs_into_the_timeout() -> None:
    """And its connection is not used again."""

    def answer(_connection: Socket) -> bool:
        gevent.sleep(5)
        return False

    with serving(answer, timeout_s=0.05) as (transport, served):
        answers = [transport.send("GET", "/work") for _ in range(2)]
    assert [answer.error for answer in answers] == [AttemptError.TIMEOUT] * 2
    assert served.connections == 2


def test_the_timeout_spans_the_whole_attempt_not_each_read() -> None:
    """A server that drips a byte at a time never lets a read time out."""

    def drip(connection: Socket) -> bool:
        for byte in OK:
            connection.sendall(bytes([byte]))
            gevent.sleep(0.02)
        return True

    with serving(drip, timeout_s=0.2) as (transport, _):
        assert transport.send("GET", "/work").error is AttemptError.TIMEOUT


def test_another_greenlets_timeout_passes_through() -> None:
    """Only our own is an outcome."""

    def answer(_connection: Socket) -> bool:
        gevent.sleep(5)
        return False

    with serving(answer) as (transport, _), pytest.raises(gevent.Timeout):
        with gevent.Timeout(0.05):
            transport.send("GET", "/work")


def test_nobody_listening_is_a_failed_attempt() -> None:
    """Refused."""
    with serving(say(OK)) as (transport, served):
        served.server.stop(timeout=1)
        assert transport.send("GET", "/work").error is AttemptError.REFUSED


def test_a_message_carries_what_it_was_given() -> None:
    """Path under the URL's own, host, headers, body with its length."""
    with serving(say(OK)) as (_, served):
        url = f"http://127.0.0.1:{served.server.server_port}/api/"
        Transport(url, 5.0).send("POST", "/work", {"X-Aftershock-Attempt": "2"}, b"body")
    host = url.split("/")[2]
    assert served.messages == [
        f"POST /api/work HTTP/1.1\r\nHost: {host}\r\nX-Aftershock-Attempt: 2\r\n"
        "Content-Length: 4\r\n\r\nbody".encode()
    ]


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/work HTTP/1.1\r\nX: y", {}),
        ("GET", "/a b", {}),
        ("GET", "/work", {"X": "y\r\nZ: z"}),
        ("GET\nX", "/work", {}),
    ],
)
def test_what_would_make_two_messages_is_refused(
    method: str, path: str, headers: dict[str, str]
) -> None:
    """Before anything is sent."""
    with serving(say(OK)) as (transport, served):
        with pytest.raises(ValueError, match=r"line break|space"):
            transport.send(method, path, headers)
    assert served.connections == 0


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host", "http://", "http://h:port"])
def test_what_is_no_target_is_named(url: str) -> None:
    """With an example of one."""
    with pytest.raises(ValueError, match=r"expected a URL such as|Port could not be cast"):
        Transport(url, 5.0)


def test_an_interim_answer_is_not_the_answer() -> None:
    """Early hints come first; nobody else gets the connection before the answer has come."""

    def hint_then_answer(connection: Socket) -> bool:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
        gevent.sleep(0.02)
        connection.sendall(OK)
        return True

    with serving(hint_then_answer) as (transport, served):
        attempts = [gevent.spawn(transport.send, "GET", "/work") for _ in range(2)]
        gevent.joinall(attempts, timeout=5)
        assert [attempt.value.status_code for attempt in attempts] == [200, 200]
        assert transport.send("GET", "/work").content == b"hi"
    assert (served.connections, len(served.messages)) == (2, 3)


def test_a_head_has_no_body_and_leaves_the_connection_in_use() -> None:
    """Although the length of the body that GET would have is named."""
    with serving(say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")) as (transport, served):
        answers = [transport.send("HEAD", "/work") for _ in range(3)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(200, b"")] * 3
    assert served.connections == 1


@pytest.mark.filterwarnings("ignore:ssl.PROTOCOL_TLS is deprecated")  # by gevent's own server
def test_tls_keeps_connections_and_checks_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any monkey-patching of ssl, as here."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = f"{program('openssl')} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True, timeout=30)
    served = Served(say(OK))
    served.server = StreamServer(
        ("127.0.0.1", 0), served.handle, keyfile=str(key), certfile=str(certificate)
    )
    served.server.start()
    url = f"https://localhost:{served.server.server_port}"
    assert Transport(url, 5.0).send("GET", "/work").error is AttemptError.UNREACHABLE
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    transport = Transport(url, 5.0)
    assert [transport.send("GET", "/work").status_code for _ in range(3)] == [200] * 3
    assert len(served.messages) == 3
    transport.close()
    served.server.stop(timeout=1)


def test_an_answer_that_never_came_is_not_ok() -> None:
    """Status code 0 is below 400, too."""
    assert not Response(0, 0.0).ok


def test_a_body_is_read_as_json() -> None:
    """As in any HTTP library."""
    assert Response(200, 0.0, content=b'{"rain_mm": 12}').json() == {"rain_mm": 12}


def test_a_server_that_says_close_gets_a_new_connection() -> None:
    """Even where it is slow to close."""
    closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
    with serving(say(closing)) as (transport, served):
        assert [transport.send("GET", "/work").status_code for _ in range(3)] == [200] * 3
    assert served.connections == 3
