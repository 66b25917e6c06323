"""The proxy as it is run, in front of a real app."""

import hashlib
import itertools
import json
import threading
import time

import psutil
import pytest

from tests.real import eventually
from tests.target_service.live import LiveTarget
from tests.target_service.upstream.calls import call, connection, told

pytestmark = pytest.mark.live

SIZE = 200 * 2**20
SLOW_S = 1.0
FLAT = 40 * 2**20
"""What the proxy's memory may grow by while a body of `SIZE` passes."""


def test_a_request_reaches_the_app_as_it_was_sent(proxy: LiveTarget) -> None:
    """Host, marks and body, and where it came from."""
    body = bytes(range(256)) * 10
    answer, text = call(
        proxy, "PUT", "/orders/1?a=b", body, Host="shop", X_Aftershock_Attempt="2", TE="trailers"
    )
    seen = json.loads(text)
    assert answer.status == 200
    assert seen["sha256"] == hashlib.sha256(body).hexdigest()
    assert seen["method"] == "PUT"
    headers = dict(seen["headers"])
    assert headers.pop("accept-encoding") == "identity"
    assert headers == {
        "host": "shop",
        "x-aftershock-attempt": "2",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        "via": "1.1 aftershock",
        "content-length": "2560",
    }
    assert answer.getheader("via") == "1.1 aftershock"
    assert answer.headers.get_all("date") is not None
    assert len(answer.headers.get_all("date") or []) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "PATCH"])
def test_every_method_passes(proxy: LiveTarget, method: str) -> None:
    """Without a body, too."""
    answer, text = call(proxy, method, "/any")
    assert answer.status == 200
    assert json.loads(text)["method"] == method


@pytest.mark.parametrize(("path", "status"), [("/empty", 204), ("/unchanged", 304)])
def test_answers_without_a_body_leave_the_connection_in_step(
    proxy: LiveTarget, path: str, status: int
) -> None:
    """Also to HEAD, which this app does not know."""
    with connection(proxy) as made:
        for method, expected in (("GET", status), ("HEAD", 405)) * 3:
            made.request(method, path)
            answer = made.getresponse()
            assert (answer.status, answer.read()) == (expected, b"")


def test_what_is_open_is_not_passed_on(proxy: LiveTarget) -> None:
    """Admin, metrics and health are the gate's; the work is the upstream's."""
    assert call(proxy, "GET", "/healthz")[1] == b'{"status":"ok"}'
    assert b"aftershock_offered_attempts_total" in call(proxy, "GET", "/metrics")[1]
    assert json.loads(call(proxy, "GET", "/admin/state")[1])["seq"] >= 0
    assert "/work" not in json.loads(call(proxy, "GET", "/openapi.json")[1])["paths"]
    assert json.loads(call(proxy, "GET", "/work")[1])["method"] == "GET"


def rss(target: LiveTarget) -> int:
    """Bytes of memory."""
    return int(psutil.Process(target.process.pid).memory_info().rss)


def test_long_bodies_pass_in_flat_memory(proxy: LiveTarget) -> None:
    """Both ways, chunked and with a length, while the reader is slow at first."""
    before, most = rss(proxy), [0]
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            most[0] = max(most[0], rss(proxy))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with connection(proxy) as made:
            made.request("GET", f"/stream?size={SIZE}")
            answer = made.getresponse()
            assert answer.getheader("transfer-encoding") == "chunked"
            time.sleep(SLOW_S)
            got = 0
            while part := answer.read(2**20):
                got += len(part)
            assert got == SIZE
            block = bytes(2**20)
            many = SIZE // len(block)
            made.request(
                "POST", "/long", itertools.repeat(block, many), {"content-length": f"{SIZE}"}
            )
            assert json.loads(made.getresponse().read())["size"] == SIZE
            made.request("POST", "/long", itertools.repeat(block, many), encode_chunked=True)
            assert json.loads(made.getresponse().read())["size"] == SIZE
    finally:
        over.set()
        watcher.join()
    assert most[0] - before < FLAT


def test_who_leaves_a_stream_without_end_ends_it(proxy: LiveTarget) -> None:
    """The app is told, and the meter says abandoned."""
    call(proxy, "POST", "/admin/reset")
    with connection(proxy) as made:
        made.request("GET", "/events")
        assert made.getresponse().read(5) == b"data:"
    eventually(lambda: json.loads(call(proxy, "GET", "/left")[1])["left"] == 1, "it is told")
    told(proxy, abandoned=1, failed=0)
