"""The gate as middleware: whom it turns away, what it counts, and that it passes all else on."""

import asyncio
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service.gate import Gate
from target_service.marks import attempt_number
from target_service.meter import LaneTick
from target_service.target import Target
from target_service.words import Span, Word
from tests.target_service.asgi import FakeClock, Response, acall, answering, call, http_scope, run


def gate_around(app: ASGIApp, capacity_per_s: float = 100, **options: Any) -> Gate:
    """A gate with a clock that stands still."""
    return Gate(app, Target(capacity_per_s), FakeClock(), **options)


def metered(gate: Gate, lane: str = "default") -> LaneTick:
    """What the running tick has counted in this lane."""
    return gate.target.lanes[lane].close_tick(0.1)


@pytest.mark.parametrize(
    ("headers", "number"),
    [
        ({}, 0),
        ({"x-aftershock-attempt": "1"}, 1),
        ({"x-aftershock-attempt": "7", "x-envoy-attempt-count": "2"}, 7),
        ({"x-aftershock-attempt": "0"}, 0),
        ({"x-aftershock-attempt": "-1", "x-envoy-attempt-count": "2"}, 0),
        ({"x-aftershock-attempt": "1.5"}, 0),
        ({"x-aftershock-attempt": "+3"}, 0),
        ({"x-aftershock-attempt": ""}, 0),
        ({"x-aftershock-attempt": "9" * 500}, 0),
        ({"x-aftershock-attempt": "33"}, 32),
        ({"x-aftershock-attempt": "999999999"}, 32),
        ({"x-envoy-attempt-count": "3"}, 3),
        ({"x-envoy-attempt-count": "x"}, 0),
        ({"grpc-previous-rpc-attempts": "0"}, 1),
        ({"grpc-previous-rpc-attempts": "2"}, 3),
        ({"grpc-previous-rpc-attempts": "-2"}, 0),
        ({"grpc-previous-rpc-attempts": "32"}, 32),
    ],
)
def test_the_attempt_number_is_what_the_headers_say(headers: dict[str, str], number: int) -> None:
    """Ours, else Envoy's, else gRPC's; unknown and malformed are 0; the last place is 32."""
    said = {name.encode(): value.encode() for name, value in headers.items()}
    assert attempt_number(said) == number


def test_attempts_over_capacity_are_turned_away() -> None:
    """With 503, a body that says so, and without the app being asked."""
    asked = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal asked
        asked += 1
        await answering([b"done"])(scope, receive, send)

    gate = gate_around(app, 20)
    responses = [call(gate, "GET", "/anything") for _ in range(5)]
    assert [response.status for response in responses] == [200, 200, 503, 503, 503]
    assert responses[4].json["error"] == "over-capacity"
    assert responses[4].headers["content-length"] == str(len(responses[4].body))
    assert "retry-after" not in responses[4].headers
    assert responses[4].headers["x-aftershock-error-owned"] == "true"
    assert asked == 2
    tick = metered(gate)
    assert (tick.offered, tick.admitted, tick.turned_away, tick.completed) == (
        (5,),
        (2,),
        (3,),
        (2,),
    )


def test_status_and_retry_after_are_as_configured() -> None:
    """429 with the seconds to wait."""
    gate = gate_around(answering([b""]), 0, word=Word(status=429, retry_after=Span(7.0, 7.0)))
    response = call(gate, "GET", "/")
    assert (response.status, response.headers["retry-after"]) == (429, "7")


def test_layers_outside_may_change_the_answer_and_the_next_one_is_untouched() -> None:
    """Ready-made answers must not be shared as lists."""
    gate = gate_around(answering([b""]), 0)

    async def outside(scope: Scope, receive: Receive, send: Send) -> None:
        async def adding(message: Message) -> None:
            if "headers" in message:
                message["headers"].append((b"x-outside", b"1"))
            await send(message)

        await gate(scope, receive, adding)

    call(outside, "GET", "/")
    assert "x-outside" not in call(gate, "GET", "/").headers


def test_lane_and_attempt_come_from_the_headers() -> None:
    """And without one the lane is `default`."""
    gate = gate_around(answering([b""]))
    call(gate, "GET", "/", headers={"X-Aftershock-Lane": "a b", "X-Aftershock-Attempt": "2"})
    call(gate, "GET", "/")
    assert metered(gate, "a b").offered == (0, 0, 1)
    assert metered(gate, "default").offered == (1,)


@pytest.mark.parametrize("lane", ["", "x" * 65, "t\tb", "ü"])
def test_a_bad_lane_is_a_400_that_says_what_is_allowed(lane: str) -> None:
    """And is not counted anywhere."""
    gate = gate_around(answering([b""]))
    response = call(gate, "GET", "/", headers={"X-Aftershock-Lane": lane})
    assert response.status == 400
    assert "X-Aftershock-Lane: expected a lane name: 1 to 64" in response.json["message"]
    assert gate.target.lanes == {}


def test_the_65th_lane_is_a_400_that_says_the_limit() -> None:
    """Names from outside cannot grow memory without bound."""
    gate = gate_around(answering([b""]))
    responses: list[Response] = [
        call(gate, "GET", "/", headers={"X-Aftershock-Lane": f"lane-{n}"}) for n in range(65)
    ]
    assert [response.status for response in responses] == [200] * 64 + [400]
    assert "64 lanes" in responses[-1].json["message"]
    assert len(gate.target.lanes) == 64


@pytest.mark.parametrize(
    ("path", "gated"),
    [
        ("/admin", False),
        ("/admin/state", False),
        ("/metrics", False),
        ("/healthz", False),
        ("/docs", True),
        ("/openapi.json", False),
        ("/administrator", True),
        ("/metricsx", True),
        ("/", True),
        ("/work", True),
    ],
)
def test_only_the_open_paths_are_not_gated(path: str, *, gated: bool) -> None:
    """So admin never waits behind the gate, and nothing else slips by."""
    gate = gate_around(answering([b""]), 0)
    assert call(gate, "GET", path).status == (503 if gated else 200)


def test_open_paths_can_go_to_another_app() -> None:
    """That is how a gate stands around somebody's own service."""
    gate = gate_around(answering([b"theirs"]), control=answering([b"ours"]))
    assert call(gate, "GET", "/admin/state").body == b"ours"
    assert call(gate, "GET", "/").body == b"theirs"


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_other_scopes_pass_through(kind: str) -> None:
    """Untouched, and uncounted."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    gate = gate_around(app, 0)

    async def nothing(*_: Any) -> Any:
        return None

    run(lambda: gate({"type": kind, "path": "/work"}, nothing, nothing))
    assert seen == [kind]
    assert gate.target.lanes == {}


def test_a_streamed_response_is_complete_with_its_last_part() -> None:
    """And counts once."""
    gate = gate_around(answering([b"a", b"b", b"c"]))
    assert call(gate, "GET", "/").body == b"abc"
    assert metered(gate).completed == (1,)


def test_an_app_that_fails_without_an_answer_is_counted_as_failed() -> None:
    """Its error goes on to the server, which tells the client."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("broken")

    gate = gate_around(app)
    with pytest.raises(RuntimeError, match="broken"):
        call(gate, "GET", "/")
    tick = metered(gate)
    assert (tick.admitted, tick.completed, tick.failed, tick.abandoned) == ((1,), (1,), (1,), ())
    assert tick.in_flight == 0


def disconnecting(*messages: Message) -> Receive:
    """A client that sends these messages and then is gone."""
    left = list(messages)

    async def receive() -> Message:
        return left.pop(0) if left else {"type": "http.disconnect"}

    return receive


def abandoned_by(app: ASGIApp, receive: Receive) -> LaneTick:
    """What is counted when `app` serves a client that goes away."""
    gate = gate_around(app)

    async def send(_message: Message) -> None:
        """Servers swallow what is sent to nobody."""

    scope = http_scope("POST", "/", {"x-aftershock-attempt": "1"}, "127.0.0.1")
    run(lambda: gate(scope, receive, send))
    return metered(gate)


def test_a_client_that_goes_before_the_response_is_complete_has_abandoned_it() -> None:
    """Also where the app never looks and the server swallows the answer."""
    body: Message = {"type": "http.request", "body": b"x", "more_body": False}
    tick = abandoned_by(answering([b"late"]), disconnecting(body))
    assert (tick.admitted, tick.completed, tick.abandoned) == ((0, 1), (), (0, 1))


def test_an_app_that_sees_the_client_go_and_gives_up_has_been_abandoned() -> None:
    """The disconnect it received is what counts."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    assert abandoned_by(app, disconnecting()).abandoned == (0, 1)


def test_an_app_that_is_cancelled_has_been_abandoned() -> None:
    """Some servers cancel the app when the client goes."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(60)

    gate = gate_around(app)

    async def cancelled() -> None:
        task = asyncio.ensure_future(acall(gate, "GET", "/"))
        while "default" not in gate.target.lanes:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(cancelled)
    assert metered(gate).abandoned == (1,)


def test_looking_for_the_client_does_not_eat_the_body() -> None:
    """An app that answers first and reads afterwards still gets all of it."""
    read: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await answering([b"early"])(scope, receive, send)
        more = True
        while more:
            message = await receive()
            read.append(message["body"])
            more = message["more_body"]

    gate = gate_around(app)
    assert call(gate, "POST", "/", b"abcdef", chunks=3).body == b"early"
    assert b"".join(read) == b"abcdef"
    assert metered(gate).completed == (1,)
