"""Chains of gateways in front of a target that refuses all: attempts multiply, or do not."""

import http.client
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import count

import pytest

from tests.loadtests.gateway.live import admin, ask, counted, gateway, offered, target, traced
from tests.real import eventually
from tests.target_service.live import LIMIT_S

pytestmark = pytest.mark.live

THREE = "immediate:attempts=3,base=0ms"
FOUR = "immediate:attempts=4,base=0ms"
OWNED = "error-ownership:max_attempts=3,base=0ms"
BUDGET = "full-jitter-budget:base=0ms,budget_ratio=0.5,budget_size=1"
EVERYWHERE = {"three": THREE, "four": FOUR, "owned": OWNED, "budget": BUDGET}

_marks = count(1)


@dataclass
class Chain:
    """The ports of a target that refuses all, and of the gateways in front, the innermost first."""

    target: int
    layers: list[int]

    def attempts(self, lane: str, layers: int) -> list[int]:
        """What one request of the lane came to at each layer, and at the target at last."""
        mark = f"mark-{next(_marks)}"
        headers = {"X-Aftershock-Lane": lane, "X-Aftershock-Trace": mark}
        assert ask(self.layers[layers - 1], "/work", headers=headers)[0] == 503
        met = [*reversed(self.layers[: layers - 1]), self.target]
        return [len(traced(port, mark)) for port in met]


@pytest.fixture(scope="module")
def layers() -> Iterator[Chain]:
    """Three gateways; lanes `inner` and `outer` are retried at one of them only."""
    with ExitStack() as stack:
        chain = Chain(stack.enter_context(target()), [])
        refuse_all(chain.target)
        upstream = chain.target
        for own in ({"inner": THREE}, {}, {"outer": THREE}):
            upstream = stack.enter_context(gateway(upstream, lanes={**EVERYWHERE, **own}))
            chain.layers.append(upstream)
        yield chain


def refuse_all(port: int) -> None:
    admin(port, "POST", "/admin/dips", {"capacity": "0/s", "for": "10m"})
    eventually(lambda: ask(port, "/work")[0] == 503, "the dip")


@pytest.mark.parametrize(
    ("lane", "depth", "expected"),
    [
        ("three", 1, [3]),
        ("three", 2, [3, 9]),
        ("three", 3, [3, 9, 27]),
        ("four", 3, [4, 16, 64]),
        ("outer", 3, [3, 3, 3]),
        ("inner", 3, [1, 1, 3]),
        ("neither", 3, [1, 1, 1]),
        ("owned", 1, [3]),
        ("owned", 2, [1, 3]),
        ("owned", 3, [1, 1, 3]),
    ],
)
def test_attempts_of_one_request(layers: Chain, lane: str, depth: int, expected: list[int]) -> None:
    """Layers that retry multiply; where errors are owned only the immediate caller retries."""
    assert layers.attempts(lane, depth) == expected


def test_the_numbers_of_attempts_add_up(layers: Chain) -> None:
    """1 is a first attempt of every layer: each of nine has the retries before it of both."""
    headers = {"X-Aftershock-Lane": "three", "X-Aftershock-Trace": "numbers"}
    ask(layers.layers[1], "/work", headers=headers)
    assert traced(layers.layers[0], "numbers") == [1, 2, 3]
    assert traced(layers.target, "numbers") == [1, 2, 3, 2, 3, 4, 3, 4, 5]


REQUESTS, RATIO = 200, 0.5


def test_budgets_at_each_layer(layers: Chain) -> None:
    """(1 + B)^d attempts a request.

    A layer to which A requests come retries ⌊B·A⌋ of them: its bucket begins empty, and one after
    another none finds more than one retry saved up. So each falls short of (1 + B)·A by less than
    one attempt, which the layers below multiply.
    """
    connection = http.client.HTTPConnection("127.0.0.1", layers.layers[2], timeout=LIMIT_S)
    with closing(connection):
        for _ in range(REQUESTS):
            connection.request("GET", "/work", headers={"X-Aftershock-Lane": "budget"})
            connection.getresponse().read()
    expected = REQUESTS * (1 + RATIO) ** 3
    short = sum((1 + RATIO) ** below for below in range(3))

    def arrived() -> int:
        return sum(offered(layers.target, "budget"))

    assert eventually(lambda: arrived() if arrived() > expected - short else None, "attempts")
    assert expected - short < arrived() <= expected


def test_a_gateway_meters_what_arrives(layers: Chain) -> None:
    """As the target does: by lane and attempt number, all admitted, and nothing left over."""
    entry = layers.layers[0]
    for number in ("1", "1", "2"):
        headers = {"X-Aftershock-Lane": "metered", "X-Aftershock-Attempt": number}
        ask(entry, "/work", headers=headers)
    eventually(lambda: sum(counted(entry, "metered", "completed")) == 3, "three in the ticks")
    assert offered(entry, "metered") == [0, 2, 1]
    assert counted(entry, "metered", "admitted") == [0, 2, 1]
    assert counted(entry, "metered", "turned_away") == []
    assert b'lane="metered",attempt="2"' in ask(entry, "/metrics")[2]
    assert ask(entry, "/healthz")[0] == 200
    admin(entry, "POST", "/admin/lanes", {"lanes": ["to-come"]})
    state = admin(entry, "GET", "/admin/state")
    assert isinstance(state, dict)
    assert "to-come" in state["lanes"]


@pytest.mark.parametrize("path", ["/admin/dips", "/admin/faults", "/admin/shed", "/admin/reset"])
def test_nothing_is_steered_at_a_gateway(layers: Chain, path: str) -> None:
    """It has no capacity; and what is open is never passed on."""
    status, _, body = ask(layers.layers[0], path, "POST", b"{}")
    assert (status, json.loads(body)["error"]) == (404, "not-found")


def test_do_not_retry() -> None:
    """Trusted, unless a gateway is told not to; the caller hears it either way."""
    with target(do_not_retry="true", pushback="never") as forbidding:
        refuse_all(forbidding)
        for ignore, attempts in ((False, 1), (True, 3)):
            mark = {"X-Aftershock-Trace": f"forbidden-{attempts}"}
            with gateway(forbidding, THREE, ignore_do_not_retry=ignore) as entry:
                status, headers, _ = ask(entry, "/work", headers=mark)
            assert (status, headers["x-should-retry"]) == (503, "false")
            assert headers["grpc-retry-pushback-ms"] == "-1"
            assert len(traced(forbidding, f"forbidden-{attempts}")) == attempts


def test_a_careless_gateway_has_errors_retried_at_every_layer(layers: Chain) -> None:
    """With the mark left on, the caller above takes the error for the gateway's own."""
    mark = {"X-Aftershock-Trace": "careless"}
    with (
        gateway(layers.target, OWNED, withhold_ownership=True) as below,
        gateway(below, OWNED) as above,
    ):
        _, headers, _ = ask(above, "/work", headers=mark)
    assert "x-aftershock-error-owned" not in headers
    assert len(traced(layers.target, "careless")) == 9
