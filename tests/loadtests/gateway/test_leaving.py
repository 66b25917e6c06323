"""Clients that go away, and a server that stops."""

import asyncio

import pytest

from loadtests.gateway.bodies import KEPT_BYTES
from loadtests.policies import (
    Send,
)
from tests.loadtests.gateway.fakes import (
    REFUSED,
    SERVED,
    FakeUpstream,
    Got,
    Reply,
    Scripted,
    answered,
    ask,
    gateway,
    three_attempts,
)
from tests.loadtests.gateway.virtual import run


def test_a_client_that_goes_away_ends_its_attempt() -> None:
    """The policy is told; nothing is answered, and nothing is sent any more."""
    policy = Scripted(Send())
    upstream = FakeUpstream([Reply(after_s=4.0)])
    got = answered(upstream, policy, leaves_at_s=1.0)
    assert (upstream.cancelled, got.status, got.at_s) == (1, 0, 1.0)
    assert policy.abandoned_at_s == [1.0]


def test_a_client_that_goes_away_during_a_wait() -> None:
    """The next attempt is not made."""
    upstream = FakeUpstream([REFUSED])
    got = answered(upstream, leaves_at_s=1.5)
    assert ([sent.at_s for sent in upstream.sent], got.status, got.at_s) == ([0.0, 1.0], 0, 1.5)


def test_a_client_that_goes_away_during_its_answer() -> None:
    """No more of it is read."""
    upstream = FakeUpstream([Reply(body=[b"a"] * 10, piece_s=1.0)])
    got = answered(upstream, leaves_at_s=2.5)
    assert (got.body, got.complete, got.at_s) == (b"aa", False, 2.5)
    assert [response.closed_at_s for response in upstream.responses] == [2.5]


def test_a_client_that_goes_away_before_its_body_is_there() -> None:
    """Nothing was sent yet."""
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, three_attempts())
    got = run(lambda: ask(app, body=[b"a", b"b"], method="PUT", leaves_at_s=0.0))
    assert (upstream.sent, got.status) == ([], 0)


def test_a_client_that_goes_away_while_its_body_is_streamed() -> None:
    """The attempt is ended: half a body is no request."""
    policy = Scripted(Send())
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, policy)
    pieces = [b"a" * KEPT_BYTES, b"b"]

    async def main() -> Got:
        got = Got()

        async def receive() -> dict[str, object]:
            if pieces:
                return {"type": "http.request", "body": pieces.pop(0), "more_body": True}
            await asyncio.sleep(1.0)
            return {"type": "http.disconnect"}

        async def send(message: object) -> None:
            got.complete = True

        scope = {
            "type": "http",
            "method": "PUT",
            "scheme": "http",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [],
        }
        await app(scope, receive, send)
        return got

    assert not run(main).complete
    assert policy.abandoned_at_s == [1.0]


@pytest.mark.parametrize("leaves_at_s", [float("inf"), 0.5, 1.5])
def test_a_server_that_stops_ends_its_requests(leaves_at_s: float) -> None:
    """By cancelling them: that is not taken for a client that left, nor lost where one did too."""
    policy = Scripted(Send())
    upstream = FakeUpstream([Reply(after_s=4.0)], ends_s=1.0)
    app = gateway(upstream, policy)

    async def main() -> None:
        task = asyncio.create_task(ask(app, leaves_at_s=leaves_at_s))
        asyncio.get_running_loop().call_at(1.0, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main)
    assert (upstream.cancelled, len(policy.abandoned_at_s)) == (1, 1)
