"""What a fault does to one attempt, in this process: the messages that the server gets."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service import strike as strike_module
from target_service.connection import EXTENSION
from target_service.disorder import AddedLatency, Cut, Error, FaultPlan, Hang, Reset
from target_service.disorder.faults import Effect
from target_service.gate import Gate
from target_service.meter import LaneTick
from target_service.passage import Passage
from target_service.target import Target
from tests.target_service.asgi import FakeClock, answering, http_scope, run
from tests.target_service.test_gate import metered


@dataclass
class Wire:
    """The server's side of one attempt."""

    sent: list[Message] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    incoming: list[Message] = field(
        default_factory=lambda: [{"type": "http.request", "body": b"", "more_body": False}]
    )

    @property
    def gone(self) -> bool:
        return bool(self.calls)

    def reset(self) -> None:
        self.calls.append("reset")

    def close(self) -> None:
        self.calls.append("close")

    async def receive(self) -> Message:
        if self.incoming:
            return self.incoming.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    @property
    def complete(self) -> bool:
        bodies = [message for message in self.sent if message["type"] == "http.response.body"]
        return bool(bodies) and not bodies[-1].get("more_body", False)


def struck(
    app: ASGIApp,
    effect: Effect,
    *,
    method: str = "GET",
    wire: Wire | None = None,
    extension: bool = True,
) -> tuple[Wire, LaneTick]:
    """What the server gets when `effect` strikes, and what was counted."""
    clock, target = FakeClock(), Target(100.0)
    gate = Gate(app, target, clock)
    target.begin_fault(FaultPlan(effect, 60), 0.0)
    clock.now_s = 0.15
    wire = wire or Wire()
    scope = http_scope(method, "/", {}, "127.0.0.1")
    if extension:
        scope["extensions"] = {EXTENSION: wire}

    async def once() -> None:
        await gate(scope, wire.receive, wire.send)

    run(once)
    return wire, metered(gate)


def whole(body: bytes, *parts: bytes) -> ASGIApp:
    """An app that answers with a Content-Length, in one part or in several."""

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number, part in enumerate(parts or (body,), 1):
            more = number < len(parts)
            await send({"type": "http.response.body", "body": part, "more_body": more})

    return app


def not_called(*_: Any) -> Any:
    """An app that must not be."""
    raise AssertionError("the app was called")


def counted(tick: LaneTick) -> tuple[int, int, int]:
    """Completed, failed, abandoned."""
    return sum(tick.completed), sum(tick.failed), sum(tick.abandoned)


@pytest.mark.parametrize(
    ("app", "body"),
    [
        (whole(b"0123456789"), b"01234"),
        (whole(b"012345678"), b"0123"),
        (whole(b"x"), b""),
        (whole(b"0123456789", b"012", b"345", b"6789"), b"01234"),
        (whole(b"0123456789", b"01234", b"56789"), b"01234"),
        (answering([b"0123"]), b"01"),
        (answering([b"0123", b"4567"]), b"01"),
        (answering([b"", b"0123", b"4567"]), b"01"),
    ],
)
def test_half_of_the_body_is_sent_and_the_connection_is_closed(app: ASGIApp, body: bytes) -> None:
    """By the Content-Length where there is one, which stays; else half of the first part."""
    wire, tick = struck(app, Cut())
    assert wire.sent[0]["type"] == "http.response.start"
    assert (wire.body, wire.complete, wire.calls) == (body, False, ["close"])
    assert counted(tick) == (1, 1, 0)


@pytest.mark.parametrize(
    ("app", "method"), [(whole(b""), "GET"), (whole(b"0123"), "HEAD"), (answering([b""]), "GET")]
)
def test_of_an_answer_without_a_body_nothing_is_sent(app: ASGIApp, method: str) -> None:
    """It would be whole."""
    wire, tick = struck(app, Cut(), method=method)
    assert (wire.sent, wire.calls) == ([], ["close"])
    assert counted(tick) == (1, 1, 0)


def test_an_app_that_goes_on_after_the_cut_is_told_that_nobody_listens() -> None:
    """As servers tell it, so that it stops; what it makes of that is not the server's to hear."""
    seen = []

    async def endless(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            seen.append("sent")
            try:
                await send({"type": "http.response.body", "body": b"0123", "more_body": True})
            except OSError as error:
                raise RuntimeError("the app's own error") from error

    wire, tick = struck(endless, Cut())
    assert (wire.body, len(seen), counted(tick)) == (b"01", 2, (1, 1, 0))


def test_a_client_that_is_gone_because_of_the_cut_has_not_abandoned_anything() -> None:
    """The app may see the connection end: by our own doing, so the attempt has failed."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await whole(b"0123")(scope, receive, send)
        while (await receive())["type"] != "http.disconnect":
            pass

    closed: list[Message] = [
        {"type": "http.request", "body": b"", "more_body": False},
        {"type": "http.disconnect"},
    ]
    wire, tick = struck(app, Cut(), wire=Wire(incoming=closed))
    assert (wire.body, counted(tick)) == (b"01", (1, 1, 0))


def test_an_app_that_fails_before_the_cut_has_failed() -> None:
    """Its error goes on to the server."""

    async def failing(*_: Any) -> None:
        raise RuntimeError("the app's own error")

    with pytest.raises(RuntimeError, match="own error"):
        struck(failing, Cut())


def test_an_error_takes_the_place_of_the_answer() -> None:
    """The app is not asked."""
    wire, tick = struck(not_called, Error(502, 3))
    headers = dict(wire.sent[0]["headers"])
    assert (wire.sent[0]["status"], headers[b"retry-after"]) == (502, b"3")
    assert headers[b"x-aftershock-error-owned"] == b"true"
    assert (wire.complete, counted(tick)) == (True, (1, 1, 0))


def test_a_reset_is_asked_of_the_connection() -> None:
    """And nothing is sent."""
    wire, tick = struck(not_called, Reset())
    assert (wire.sent, wire.calls, counted(tick)) == ([], ["reset"], (1, 1, 0))


def test_where_the_server_cannot_reset_an_answer_is_begun_and_not_ended() -> None:
    """Servers close the connection then."""
    wire, tick = struck(not_called, Reset(), extension=False)
    (start,) = wire.sent
    assert (start["status"], start["headers"]) == (500, [(b"content-length", b"1")])
    assert counted(tick) == (1, 1, 0)


def test_where_the_server_cannot_close_a_cut_answer_is_not_ended() -> None:
    """Neither."""
    wire, tick = struck(whole(b"0123456789"), Cut(), extension=False)
    assert (wire.body, wire.complete, counted(tick)) == (b"01234", False, (1, 1, 0))


def test_a_hanging_attempt_is_reset_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is held for ever; one whose client has gone is abandoned and not touched."""
    monkeypatch.setattr(strike_module, "MAX_HANG_S", 0.02)
    wire, tick = struck(not_called, Hang())
    assert (wire.sent, wire.calls, counted(tick)) == ([], ["reset"], (1, 1, 0))
    gone = Wire(incoming=[{"type": "http.disconnect"}])
    wire, tick = struck(not_called, Hang(), wire=gone)
    assert (wire.sent, wire.calls, counted(tick)) == ([], [], (0, 0, 1))


def test_what_comes_during_added_latency_is_kept_for_the_app() -> None:
    """In its order."""
    got = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        got.extend([(await receive())["body"], (await receive())["body"]])
        await whole(b"ok")(scope, receive, send)

    incoming: list[Message] = [
        {"type": "http.request", "body": b"one", "more_body": True},
        {"type": "http.request", "body": b"two", "more_body": False},
    ]
    wire, tick = struck(app, AddedLatency(0.01), wire=Wire(incoming=incoming))
    assert (got, wire.body, counted(tick)) == ([b"one", b"two"], b"ok", (1, 0, 0))


def test_a_client_that_goes_during_added_latency_gets_no_answer() -> None:
    """And the app is not asked."""
    gone = Wire(incoming=[{"type": "http.disconnect"}])
    wire, tick = struck(not_called, AddedLatency(300.0), wire=gone)
    assert (wire.sent, counted(tick)) == ([], (0, 0, 1))


def test_while_somebody_looks_for_the_client_a_pause_does_not_look_too() -> None:
    """Two that ask a server at once may each get what the other waits for."""
    asking = most = 0
    goes = asyncio.Event()

    async def receive() -> Message:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        try:
            await goes.wait()
            return {"type": "http.disconnect"}
        finally:
            asking -= 1

    async def main() -> None:
        passage = Passage(receive, Wire().send, lambda: None)
        watcher = asyncio.ensure_future(passage.until_gone())
        pause = asyncio.ensure_future(passage.pause(300.0))
        for _ in range(5):
            await asyncio.sleep(0)
        assert asking == 1
        goes.set()
        await pause  # which the client's going ends
        await watcher
        assert passage.gone

    run(main)
    assert most == 1
