"""Bodies of requests: sent again if they are small, and else once."""

import json
from dataclasses import replace

from loadtests.gateway.bodies import KEPT_AT_ONCE_BYTES, KEPT_BYTES, Store
from target_service.upstream import UpstreamErrorKind
from tests.loadtests.gateway.fakes import (
    REFUSED,
    SERVED,
    FakeUpstream,
    Got,
    Reply,
    ask,
    gateway,
    three_attempts,
)
from tests.loadtests.gateway.virtual import run


def sent_with_body(upstream: FakeUpstream, body: list[bytes]) -> Got:
    app = gateway(upstream, three_attempts())
    return run(lambda: ask(app, body=body, method="PUT"))


def test_a_body_is_sent_again() -> None:
    """As far as it can be kept."""
    body = [b"a" * 1000, b"b" * (KEPT_BYTES - 1000)]
    upstream = FakeUpstream([REFUSED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [True] * 3
    assert got.status == 503


def test_a_body_that_is_too_large_to_keep_is_sent_once() -> None:
    """Its one attempt is not repeated."""
    body = [b"a" * 1000, b"b" * (KEPT_BYTES - 999), b"c"]
    upstream = FakeUpstream([REFUSED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [True]
    assert got.status == 503


def test_as_long_as_nothing_of_it_was_sent_there_can_be_another_attempt() -> None:
    """A connection that was refused took nothing."""
    body = [b"a" * KEPT_BYTES, b"b"]
    upstream = FakeUpstream([Reply(error=UpstreamErrorKind.REFUSED), SERVED])
    got = sent_with_body(upstream, body)
    assert [sent.body == b"".join(body) for sent in upstream.sent] == [False, True]
    assert got.status == 200


def test_a_client_that_is_slow_with_its_body_is_not_held_against_upstream() -> None:
    """Upstream has the time of an attempt once all has come. Deadlines hold all the same."""
    body = [b"a" * KEPT_BYTES, b"b", b"c", b"d"]
    for piece_s, after_s, expected in ((4.0, 4.0, 200), (60.0, 4.0, 200), (4.0, 6.0, 504)):
        upstream = FakeUpstream([Reply(after_s=after_s).with_length()])
        app = gateway(upstream, three_attempts())
        got = run(lambda app=app, s=piece_s: ask(app, body=body, method="PUT", piece_s=s))  # type: ignore[misc]
        assert (got.status, len(upstream.sent)) == (expected, 1)
        assert expected == 200 or json.loads(got.body)["error"] == "upstream-timeout"
    upstream = FakeUpstream([SERVED])
    app = gateway(upstream, three_attempts())
    late = {"grpc-timeout": "14S"}
    got = run(lambda: ask(app, body=body, method="PUT", piece_s=4.0, headers=late))
    assert (got.status, got.at_s) == (504, 14.0)


def test_an_answer_to_half_a_body_is_passed_on() -> None:
    """Nobody waits for the rest, though it may still be sent."""
    upstream = FakeUpstream([replace(REFUSED, headers=[], piece_s=1.0)], takes=1)
    got = sent_with_body(upstream, [b"a" * KEPT_BYTES, b"b", b"c", b"d"])
    assert (len(upstream.sent), got.status, got.complete) == (1, 503, True)
    assert upstream.sent[0].body.endswith(b"abcd")
    assert upstream.rest is not None
    assert upstream.rest.exception() is None


def test_a_connection_has_the_time_of_an_attempt() -> None:
    """Nothing of a streamed body has been sent by then, so that there can be another."""
    upstream = FakeUpstream([Reply(connect_s=60.0), SERVED])
    got = sent_with_body(upstream, [b"a" * KEPT_BYTES, b"b"])
    assert [sent.at_s for sent in upstream.sent] == [0.0, 6.0]
    assert got.status == 200
    upstream = FakeUpstream([Reply(connect_s=60.0)])
    got = sent_with_body(upstream, [b"a" * KEPT_BYTES, b"b"])
    assert json.loads(got.body)["error"] == "upstream-connect-timeout"


def test_all_bodies_together_are_bounded() -> None:
    """What does not fit any more is streamed."""
    store = Store(1000)
    assert store.take(600)
    assert not store.take(600)
    store.give_back(600)
    assert store.take(1000)
    assert KEPT_AT_ONCE_BYTES >= 32 * KEPT_BYTES


def test_what_was_kept_is_given_back() -> None:
    """After each request, however it ended."""
    upstream = FakeUpstream([REFUSED])
    app = gateway(upstream, three_attempts())
    body = [b"a" * KEPT_BYTES]

    async def many() -> None:
        for _ in range(KEPT_AT_ONCE_BYTES // KEPT_BYTES + 1):
            await ask(app, body=body, method="PUT")

    run(many)
    assert len(upstream.sent) == 3 * (KEPT_AT_ONCE_BYTES // KEPT_BYTES + 1)
