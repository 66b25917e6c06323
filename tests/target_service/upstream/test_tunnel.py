"""WebSockets on their way through, and what must not come through with them."""

import contextlib
import json
import socket
import time
from typing import Any

import pytest
import websocket

from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget, live_target
from tests.target_service.upstream.calls import UPGRADE, call, counts, raw_call
from tests.target_service.upstream.handmade import Handmade

pytestmark = pytest.mark.live

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"


def opened(target: LiveTarget, path: str, **options: Any) -> websocket.WebSocket:
    """A WebSocket through the proxy."""
    return websocket.create_connection(
        f"ws://127.0.0.1:{target.port}{path}", timeout=LIMIT_S, **options
    )


def test_a_websocket_goes_through_and_back(proxy: LiveTarget) -> None:
    """Small and large messages, headers and query, and none of it is counted."""
    call(proxy, "POST", "/admin/reset")  # also what others sent in the tick that is running
    made = opened(proxy, "/echo?a=%20b", subprotocols=["soap"], header={"X-Mine": "1"})
    assert made.getsubprotocol() == "soap"
    made.send("who")
    seen = json.loads(made.recv())
    assert seen["query"] == "a=%20b"
    headers = dict(seen["headers"])
    assert headers["host"] == f"127.0.0.1:{proxy.port}"
    assert (headers["x-mine"], headers["via"]) == ("1", "1.1 aftershock")
    assert headers["x-forwarded-for"] == "127.0.0.1"
    for size in (0, 1, 70_000, 2**20):
        made.send_binary(bytes(size))
        assert made.recv() == bytes(size)
    made.send("close")
    opcode, data = made.recv_data()
    assert (opcode, data[:2]) == (websocket.ABNF.OPCODE_CLOSE, (4000).to_bytes(2, "big"))
    made.close()
    assert not any(counts(proxy).values())


def test_an_upgrade_that_is_refused_is_a_plain_answer(proxy: LiveTarget) -> None:
    """The app's own."""
    with pytest.raises(websocket.WebSocketBadStatusException) as told:
        opened(proxy, "/closed-door")
    assert told.value.status_code == 403


def test_a_refusal_is_passed_on_as_any_answer_is(front: LiveTarget, upstream: Handmade) -> None:
    """End to end: without what its `Connection` names; how the body ends is as it came."""
    got = raw_call(front, b"GET /not-upgraded-in-chunks HTTP/1.1\r\n" + UPGRADE)
    assert len(upstream.heads) == 1
    assert got == (
        b"HTTP/1.1 403 No\r\nx-kept: 1\r\nvia: 1.1 aftershock\r\ntransfer-encoding: chunked\r\n"
        b"connection: close\r\n\r\n2\r\nno\r\n0\r\n\r\n"
    )


def test_bytes_pass_only_after_the_upgrade(front: LiveTarget, upstream: Handmade) -> None:
    """Past interim answers; a client that closes closes the upstream's side."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"GET /upgraded HTTP/1.1\r\n" + UPGRADE)
        got = b""
        while not got.endswith(b"hello"):
            got += made.recv(1000)
        assert got == (
            b"HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello"
        )
        made.sendall(b"and back")
        assert made.recv(1000) == b"AND BACK"
        assert upstream.heads == [
            b"GET /upgraded HTTP/1.1\r\nhost: a\r\nsec-websocket-version: 13\r\n"
            b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-forwarded-for: 127.0.0.1\r\n"
            b"x-forwarded-proto: http\r\nvia: 1.1 aftershock\r\nconnection: upgrade\r\n"
            b"upgrade: websocket\r\n\r\n"
        ]
    eventually(lambda: upstream.left == 1, "the upstream's side is closed")


def test_what_comes_before_the_upstream_has_agreed_waits(
    front: LiveTarget, upstream: Handmade
) -> None:
    """Nothing of it is passed on until then, and nothing of it is lost."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"GET /think HTTP/1.1\r\n" + UPGRADE)
        eventually(lambda: len(upstream.heads) == 1, "it has come")
        made.sendall(b"early")
        got = b""
        while not got.endswith(b"helloEARLY"):
            got += made.recv(1000)
            assert got
    assert len(upstream.heads) == 1


def test_only_a_plain_path_is_upgraded(front: LiveTarget, upstream: Handmade) -> None:
    """A whole URL is a request like others."""
    headers = UPGRADE.replace(b"Connection: ", b"Connection: close, ")
    got = raw_call(front, b"GET http://a/until-close HTTP/1.1\r\n" + headers)
    assert got.startswith(b"HTTP/1.1 200 ")
    assert upstream.heads[0].startswith(b"GET /until-close HTTP/1.1\r\n")
    assert b"upgrade" not in upstream.heads[0]


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
@pytest.mark.parametrize("cut", [1, 60, 175, 190])
def test_a_request_that_asks_for_another_upgrade_is_one_without(
    proxy: LiveTarget, upgrade: str, cut: int
) -> None:
    """With its body and what follows it. Java's client asks for h2c with every first request."""
    first = (
        b"POST /any?a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        b"Upgrade: %b\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Length: 11\r\n\r\n"
        b"hello there" % upgrade.encode()
    )
    second = b"GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    data = first + second
    with socket.create_connection(("127.0.0.1", proxy.port), LIMIT_S) as made:
        made.sendall(data[:cut])
        time.sleep(0.02)
        made.sendall(data[cut:])
        got = b""
        while part := made.recv(65_536):
            got += part
    assert got.count(b"HTTP/1.1 200 ") == 2
    seen = json.loads(got.split(b"\r\n\r\n")[1].split(b"HTTP/1.1")[0])
    assert (seen["method"], seen["size"]) == ("POST", 11)
    assert "upgrade" not in dict(seen["headers"])
    assert "http2-settings" not in dict(seen["headers"])


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("path", [b"/not-upgraded", b"/plain"])
def test_a_refused_upgrade_is_no_way_past_the_gate(
    front: LiveTarget, upstream: Handmade, path: bytes, together: bool
) -> None:
    """What follows it never reaches the upstream."""
    first = b"GET " + path + b" HTTP/1.1\r\n" + UPGRADE
    if together:
        got = raw_call(front, first + HIDDEN)
    else:
        with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
            made.sendall(first)
            got = made.recv(1000)
            with contextlib.suppress(ConnectionError):  # it may be closed already
                made.sendall(HIDDEN)
                while part := made.recv(1000):
                    got += part
    assert got.count(b"HTTP/1.1") == 1
    assert b"\r\nconnection: close\r\n" in got
    assert b"HTTP/1.1 403 " in got or path == b"/plain"
    assert len(upstream.heads) == 1


@pytest.mark.parametrize(
    "target", [b"/admin/state", b"/%61dmin/state", b"/metrics", b"http://a/admin/state"]
)
def test_no_tunnel_leads_to_what_is_open(
    front: LiveTarget, upstream: Handmade, target: bytes
) -> None:
    """The door answers there, as it does without an upgrade."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"GET " + target + b" HTTP/1.1\r\n" + UPGRADE)
        answer = made.recv(1000)
    expected = b"HTTP/1.1 200 " if target == b"/metrics" else b"HTTP/1.1 403 "
    assert answer.startswith(expected)
    assert upstream.heads == []


def test_an_upgrade_behind_an_unanswered_request_is_cut_off(
    front: LiveTarget, upstream: Handmade
) -> None:
    """Its answer would come out in the middle of the tunnel."""
    got = raw_call(
        front, b"GET /hang HTTP/1.1\r\nHost: a\r\n\r\nGET /upgraded HTTP/1.1\r\n" + UPGRADE
    )
    assert got == b""
    assert not any(b"/upgraded" in head for head in upstream.heads)


@pytest.mark.parametrize(
    ("path", "error"),
    [(b"/reset", b"reset"), (b"/close", b"closed"), (b"/garbage", b"not-http")],
)
def test_a_tunnel_that_cannot_be_dug_is_said_so(
    front: LiveTarget, upstream: Handmade, path: bytes, error: bytes
) -> None:
    """As for any other request."""
    got = raw_call(front, b"GET " + path + b" HTTP/1.1\r\n" + UPGRADE)
    assert got.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert b'{"error":"upstream-' + error + b'"' in got


def test_a_slow_reader_holds_the_upstream_back(front: LiveTarget, upstream: Handmade) -> None:
    """Nothing piles up in the tunnel."""
    with socket.create_connection(("127.0.0.1", front.port), LIMIT_S) as made:
        made.sendall(b"GET /flood HTTP/1.1\r\n" + UPGRADE)
        assert made.recv(12) == b"HTTP/1.1 101"
        seen = [-2, -1]

        def still() -> bool:
            seen.append(upstream.flooded)
            return seen[-1] == seen[-20:][0] > 0

        eventually(still, "it waits")
        assert seen[-1] < 24 * 2**20


def test_a_tunnel_does_not_hold_a_stop_up(front: LiveTarget, upstream: Handmade) -> None:
    """It is closed."""
    url = front.said[0].rsplit(" ", 1)[1]
    with live_target("--upstream", url) as stopping:
        with socket.create_connection(("127.0.0.1", stopping.port), LIMIT_S) as made:
            made.sendall(b"GET /upgraded HTTP/1.1\r\n" + UPGRADE)
            assert made.recv(1000).startswith(b"HTTP/1.1 101")
            stopping.process.terminate()
            assert stopping.process.wait(LIMIT_S) == 0
            assert stopping.process.stderr is not None
            assert "Error" not in stopping.process.stderr.read()
    eventually(lambda: upstream.left == 1, "the upstream's side is closed")
