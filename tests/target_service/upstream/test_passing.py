"""What passes through unchanged, what does not, and what the proxy says in the upstream's place."""

import http.client
import json
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadtests.processes import free_port
from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.upstream.calls import UPGRADE, call, connection, raw_call, told
from tests.target_service.upstream.handmade import Handmade
from tests.target_service.upstream.upstreams import by_hand

pytestmark = pytest.mark.live

LAST = b"Host: a\r\nConnection: close\r\n\r\n"

in_a_target = st.text("abz09-._~!$&'()*+,;=:@%/?|[]{}\"<>^`\\", max_size=30)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(in_a_target)
def test_paths_and_queries_pass_byte_by_byte(
    handmade: tuple[Handmade, LiveTarget], rest: str
) -> None:
    """Nothing is decoded, normalised or left out."""
    act, front = handmade
    act.heads.clear()
    line = b"GET /mark/" + rest.encode() + b" HTTP/1.1\r\n"
    assert raw_call(front, line + LAST).startswith(b"HTTP/1.1 200 ")
    assert [head[: len(line)] for head in act.heads] == [line]


@pytest.mark.parametrize(
    "target", ["//a//b", "/a/../../admin/state", "/./admin", "/x%2f..%2fadmin", "/a?", "/?"]
)
def test_odd_paths_pass_too(front: LiveTarget, upstream: Handmade, target: str) -> None:
    """They are the upstream's to make sense of."""
    line = b"GET %b HTTP/1.1\r\n" % target.encode()
    assert raw_call(front, line + LAST).startswith(b"HTTP/1.1 200 ")
    assert upstream.heads[0].startswith(line)


@pytest.mark.parametrize(
    "target", ["/admin/state", "/%61dmin/state", "/admin%2fstate", "http://x/admin/state"]
)
def test_the_admin_api_is_never_the_upstreams(
    front: LiveTarget, upstream: Handmade, target: str
) -> None:
    """However its path is written."""
    raw_call(front, b"GET %b HTTP/1.1\r\n" % target.encode() + LAST)
    assert upstream.heads == []


def test_the_upstreams_headers_pass_but_for_those_of_its_connection(
    front: LiveTarget, upstream: Handmade
) -> None:
    """In their order, repeated ones too, bytes beyond ASCII too; its date is the only one."""
    got = raw_call(front, b"GET /headers HTTP/1.1\r\n" + LAST)
    assert got == (
        b"HTTP/1.1 299 \r\nx-kept: \xe9\r\nset-cookie: a\r\nset-cookie: b\r\ndate: then\r\n"
        b"content-length: 0\r\nvia: 1.1 aftershock\r\nconnection: close\r\n\r\n"
    )
    sent = raw_call(
        front,
        b"GET / HTTP/1.1\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nHost: a\r\n"
        b"Keep-Alive: 1\r\nProxy-Connection: x\r\nX: \xe9\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n",
    )
    assert sent.startswith(b"HTTP/1.1 200 ")
    assert upstream.heads[-1] == (
        b"GET / HTTP/1.1\r\nhost: a\r\nx: \xe9\r\nx-forwarded-for: 9.9.9.9, 127.0.0.1\r\n"
        b"x-forwarded-proto: http\r\nvia: 1.1 aftershock\r\n\r\n"
    )


def test_a_length_that_goes_with_no_body_is_left_out(front: LiveTarget, upstream: Handmade) -> None:
    """And the connection goes on."""
    with connection(front) as made:
        for _ in range(3):
            made.request("GET", "/304-length")
            answer = made.getresponse()
            assert (answer.status, answer.read()) == (304, b"")
    told(front, completed=3, failed=0)


def test_a_body_that_ends_with_the_connection_is_passed_on_whole(
    front: LiveTarget, upstream: Handmade
) -> None:
    """With an end of its own from here on."""
    answer, body = call(front, "GET", "/until-close")
    assert body == b"all"
    assert answer.getheader("transfer-encoding") == "chunked"


def test_a_client_of_http_1_0_gets_no_chunks(front: LiveTarget, upstream: Handmade) -> None:
    """It gets what there is; what breaks off does not end like something whole."""
    got = raw_call(front, b"GET /until-close HTTP/1.0\r\n\r\n")
    assert got.endswith(b"\r\nconnection: close\r\n\r\nall")
    with pytest.raises(ConnectionResetError):
        raw_call(front, b"GET /half-chunked HTTP/1.0\r\n\r\n")


@pytest.mark.parametrize(
    "head",
    [
        b"Connection: close\r\n\r\n",
        b"Host: a\r\n" + LAST,
        b"Transfer-Encoding: gzip, chunked\r\n" + LAST + b"0\r\n\r\n",
    ],
    ids=["no host", "two hosts", "another coding"],
)
def test_what_means_different_things_to_different_servers_is_refused(
    front: LiveTarget, upstream: Handmade, head: bytes
) -> None:
    """The upstream never sees it."""
    assert raw_call(front, b"POST / HTTP/1.1\r\n" + head).startswith(b"HTTP/1.1 400 ")
    assert upstream.heads == []


def test_the_host_in_a_target_holds(front: LiveTarget, upstream: Handmade) -> None:
    """And not what the header says (RFC 9112, 3.2.2)."""
    raw_call(front, b"GET http://shop:8/a?b HTTP/1.1\r\n" + LAST)
    assert upstream.heads[0].startswith(b"GET /a?b HTTP/1.1\r\nhost: shop:8\r\n")
    assert b"host: a" not in upstream.heads[0]


def test_an_answer_may_come_before_the_body(front: LiveTarget, upstream: Handmade) -> None:
    """The client need not send the rest."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
        assert made.recv(1000).startswith(b"HTTP/1.1 413 ")
    told(front, completed=1, failed=0)


def test_leave_to_send_the_body_is_the_upstreams_to_give(
    front: LiveTarget, upstream: Handmade
) -> None:
    """One that refuses spares the client its body."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        head = b" HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        made.sendall(b"PUT /take-body" + head)
        assert made.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        made.sendall(b"abc")
        assert made.recv(1000).startswith(b"HTTP/1.1 200 ")
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"PUT /refuse-body" + head)
        assert made.recv(1000).startswith(b"HTTP/1.1 417 ")


def test_a_head_does_not_wait_for_its_body(front: LiveTarget, upstream: Handmade) -> None:
    """As of a stream of events in which nothing happens yet. Who leaves it is counted."""
    with connection(front) as made:
        made.request("GET", "/head-alone")
        assert made.getresponse().getheader("content-length") == "2"
    eventually(lambda: upstream.left == 1, "the upstream is told")
    told(front, admitted=1, completed=0, abandoned=1)


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/reset", 502, "upstream-reset"),
        ("/close", 502, "upstream-closed"),
        ("/garbage", 502, "upstream-not-http"),
        ("/odd-status", 502, "upstream-not-http"),
    ],
)
def test_a_failure_of_the_upstream_is_told_apart(
    front: LiveTarget, upstream: Handmade, path: str, status: int, error: str
) -> None:
    """By its status and body, and in the record: it is no refusal of the gate's."""
    with connection(front) as made:
        for _ in range(2):
            made.request("POST", path, b"once")
            answer = made.getresponse()
            body = json.loads(answer.read())
            assert (answer.status, body["error"], body["fields"]) == (status, error, [])
            assert answer.getheader("x-aftershock-error-owned") is None
    assert len(upstream.heads) == 2
    told(front, offered=2, admitted=2, completed=2, failed=2, turned_away=0, abandoned=0)


@pytest.mark.parametrize("path", ["/half-length", "/half-chunked"])
def test_an_answer_that_breaks_off_breaks_off_here_too(
    front: LiveTarget, upstream: Handmade, path: str
) -> None:
    """Never with a clean end; it has failed."""
    with connection(front) as made:
        made.request("GET", path)
        answer = made.getresponse()
        assert answer.status == 200
        with pytest.raises(http.client.IncompleteRead) as told_of:
            answer.read()
        assert told_of.value.partial == b"half"
    told(front, offered=1, admitted=1, completed=1, failed=1, abandoned=0)


def test_who_hangs_up_is_not_worked_for(front: LiveTarget, upstream: Handmade) -> None:
    """The upstream sees its client go; the meter says abandoned."""
    with connection(front) as made:
        made.request("GET", "/hang")
        eventually(lambda: len(upstream.heads) == 1, "it has come")
        assert upstream.left == 0
    eventually(lambda: upstream.left == 1, "the upstream is told")
    told(front, offered=1, admitted=1, completed=0, failed=0, abandoned=1)


def test_who_hangs_up_in_the_middle_of_a_body_sends_half_a_request(
    front: LiveTarget, upstream: Handmade
) -> None:
    """Which the upstream sees broken off."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"POST /hang HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
        eventually(lambda: len(upstream.heads) == 1, "it has come")
    eventually(lambda: upstream.left == 1, "the upstream is told")
    told(front, offered=1, admitted=1, completed=0, failed=0, abandoned=1)


def test_an_upstream_that_is_not_there_is_502_and_one_that_comes_is_used() -> None:
    """Nothing has to be started again."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with live_target("--upstream", url, "--capacity", "5/s", "--tick", "1s") as alone:
        assert f"in front of {url}" in alone.said[0]
        found = [call(alone, "GET", "/")[0].status for _ in range(12)]
        assert set(found) == {502, 503}
        told(alone, offered=12, failed=found.count(502), turned_away=found.count(503))
        tunnel = raw_call(alone, b"GET / HTTP/1.1\r\n" + UPGRADE)
        assert tunnel.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
        assert b"upstream-refused" in tunnel
        with by_hand(Handmade(), port):
            # Some are turned away first.
            eventually(lambda: call(alone, "GET", "/")[0].status == 200, "the upstream has come")


def test_workers_stand_before_an_upstream_too(upstream: Handmade, front: LiveTarget) -> None:
    """As long as it takes to answer, one is busy."""
    url = front.said[0].rsplit(" ", 1)[1]
    with live_target("--upstream", url, "--workers", "1", "--queue", "0") as narrow:
        with connection(narrow) as made:
            made.request("GET", "/hang")
            eventually(lambda: len(upstream.heads) == 1, "it has come")
            assert call(narrow, "GET", "/")[0].status == 503
        eventually(lambda: call(narrow, "GET", "/")[0].status == 200, "it is free again")
