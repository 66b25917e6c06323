"""Calls to a live proxy, and what its meter says afterwards."""

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

from tests.real import eventually
from tests.target_service.live import LIMIT_S, LiveTarget

OPEN = "1000000/s"
UPGRADE = (
    b"Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@contextlib.contextmanager
def connection(target: LiveTarget) -> Iterator[http.client.HTTPConnection]:
    """One connection of Python's own client."""
    made = http.client.HTTPConnection("127.0.0.1", target.port, timeout=LIMIT_S)
    try:
        yield made
    finally:
        made.close()


def call(
    target: LiveTarget, method: str, path: str, body: Any = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer on a connection of its own, and its body."""
    with connection(target) as made:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        made.request(method, path, body, sent)
        answer = made.getresponse()
        return answer, answer.read()


def counts(target: LiveTarget) -> dict[str, int]:
    """All that the meter has counted."""
    answer, body = call(target, "GET", "/admin/ticks?after=-1")
    assert answer.status == 200
    lanes = [lane for line in body.splitlines() for lane in json.loads(line)["lanes"].values()]
    return {
        name: sum(sum(lane[name]) for lane in lanes)
        for name in ("offered", "admitted", "turned_away", "completed", "failed", "abandoned")
    }


def told(target: LiveTarget, **expected: int) -> None:
    """Wait until the meter says so."""
    seen: dict[str, int] = {}

    def look() -> bool:
        seen.update(counts(target))
        return expected.items() <= seen.items()

    try:
        eventually(look, f"{expected}")
    except AssertionError:
        raise AssertionError(f"expected {expected}, the meter says {seen}") from None


def raw_call(target: LiveTarget, data: bytes) -> bytes:
    """All that comes back until the proxy closes."""
    with socket.create_connection(("127.0.0.1", target.port), LIMIT_S) as made:
        made.sendall(data)
        got = b""
        while part := made.recv(65_536):
            got += part
    return got
